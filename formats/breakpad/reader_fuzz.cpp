#include "formats/breakpad/reader.hpp"

#include <cstdlib>

#include "formats/breakpad/names.hpp"

namespace {

using namespace symcached;
using namespace symcached::breakpad;

void read_ranges(const InlineRecord& call) {
  RangeReader ranges(call.ranges, 0);
  for (auto range = ranges.next(); range && *range; range = ranges.next()) {
  }
}

void find_all(const NumberedNames& names) {
  for (std::uint32_t number = 0; number < 100; ++number) {
    const std::uint32_t index = names.find(number);
    if (index != NumberedNames::kNone && index >= names.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes text = std::as_bytes(std::span(data, size));
  Reader reader(text);
  for (;;) {
    const auto kind = reader.next();
    if (!kind || *kind == RecordKind::end) break;
    if (reader.offset() >= size) std::abort();
    if (*kind == RecordKind::inline_call) read_ranges(reader.inline_call());
  }
  if (const auto names = read_names(text)) {
    find_all(names->files);
    find_all(names->origins);
  }
  return 0;
}
