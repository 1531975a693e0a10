#include "sources/source_words.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached::sources {

bool is_source_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxSourceId &&
         std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_header(std::string_view name, std::string_view value) {
  constexpr std::string_view kEnds{"\r\n\0", 3};
  return !name.empty() && name.find_first_of(" :") == name.npos && name.find_first_of(kEnds) == name.npos &&
         value.find_first_of(kEnds) == value.npos;
}

bool is_http_url(std::string_view text) {
  const std::string start = lower_ascii(text.substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

}  // namespace symcached::sources
