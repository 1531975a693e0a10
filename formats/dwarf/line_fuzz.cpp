/// Line tables: the first byte says big-endian (1) and that the rest is the other sections too (2), so that names by
/// reference meet text and offsets that the fuzzer chooses.
#include "testing/dwarf/line_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  dwarf::Sections sections{.line = rest, .big_endian = (data[0] & 1) != 0};
  if ((data[0] & 2) != 0) sections.str = sections.line_str = sections.str_offsets = rest;
  testkit::walk_lines(sections);
  return 0;
}
