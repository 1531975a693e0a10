#include <algorithm>

#include "base/bytes.hpp"
#include "sources/layouts.hpp"

/// What a path is said to hold must be asked for at that path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const auto path = as_text(std::as_bytes(std::span(data, size))).substr(1);
  sources::LayoutRules rules{.layout = static_cast<sources::Layout>(data[0] % 12), .two_tiers = data[0] >= 128};
  for (const sources::StoredFile& stored : sources::parse_place(rules, path)) {
    const auto again = sources::places(rules, stored.file);
    if (std::ranges::find(again, path, &sources::Place::path) == again.end() &&
        stored.packing == sources::Packing::plain)
      __builtin_trap();
    if (sources::key_text(stored.file).find('\n') != std::string::npos) __builtin_trap();
  }
  return 0;
}
