#include <algorithm>

#include "fetch/download_body.hpp"

/// The first line is a Content-Range, the second a digest header, the rest the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto take_line = [&] {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return std::string(line);
  };
  const auto range = fetch::ContentRange::parse(take_line());
  if (range && (range->last < range->first || (range->total && *range->total <= range->last))) __builtin_trap();
  fetch::HttpHead head{.status = 200};
  head.repr_digest = head.digest = head.goog_hash = take_line();
  if (auto digest = fetch::BodyDigest::stated_by(head)) {
    digest->update(as_bytes(text));
    static_cast<void>(digest->matches());
  }
  return 0;
}
