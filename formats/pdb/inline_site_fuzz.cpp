/// Annotation programs: the first four bytes are the size of the function, the rest is the program.
#include "formats/pdb/inline_site.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  ByteReader in(std::as_bytes(std::span(data, size)));
  const auto function_size = in.read<u32le>("fuzz.function_size");
  if (!function_size) return 0;
  std::vector<pdb::InlineRange> ranges;
  if (!pdb::read_inline_ranges(in.rest(), *function_size, ranges)) return 0;
  if (ranges.size() > in.left()) std::abort();  // a range takes an instruction, and that a byte or more
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].start > ranges[i].end || ranges[i].end > *function_size) std::abort();
    if (i != 0 && ranges[i - 1].end > ranges[i].start) std::abort();
  }
  return 0;
}
