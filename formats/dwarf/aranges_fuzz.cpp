#include "formats/dwarf/aranges.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  for (const bool big_endian : {false, true})
    if (const auto all = dwarf::read_aranges(std::as_bytes(std::span(data, size)), big_endian))
      for (const dwarf::CodeOfUnit& range : all->ranges)
        if (range.low >= range.high) __builtin_trap();
  return 0;
}
