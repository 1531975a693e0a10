/// Units, abbreviations, entries, texts and ranges, of sections that the input is cut into.
#include "testing/dwarf_info_walk.hpp"
#include "testing/packed_dwarf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  testkit::walk_info(testkit::unpack_dwarf(std::as_bytes(std::span(data, size))));
  return 0;
}
