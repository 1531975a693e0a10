/// Units, abbreviations, entries, texts and ranges, of sections that the input is cut into.
#include "testing/dwarf/info_walk.hpp"
#include "testing/dwarf/section_bundle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  testkit::walk_info(testkit::unpack_dwarf(std::as_bytes(std::span(data, size))));
  return 0;
}
