#include "sources/path_words.hpp"

#include "base/ascii.hpp"

namespace symcached::sources {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool has_scheme(std::string_view text, std::string_view scheme) {
  return lower_ascii(text.substr(0, scheme.size())) == scheme;
}
bool is_http(std::string_view text) { return has_scheme(text, "http://") || has_scheme(text, "https://"); }

std::string without_credentials(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::string(text);
  const std::size_t host = scheme + 3;
  const std::string_view authority = text.substr(host, text.find_first_of("/?#", host) - host);
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, host)) + std::string(text.substr(host + at + 1));
}

Word place_of(std::string_view word, const PathMap& map) {
  if (word.find('%') != std::string_view::npos && !is_http(word))
    return {"", "has a variable of Windows in it; write the folder itself"};
  std::string place(word);
  if (const auto mapped = map_path(map, word)) {
    place = mapped->target;
    if (!mapped->below.empty()) place += "/" + mapped->below;
  } else if (is_windows_path(word)) {
    return {"", "is a path of Windows, and nothing says what it leads to here"};
  }
  if (!is_http(place) && place.find("://") != std::string::npos)
    return {"", "is no folder and no http:// or https:// URL"};
  return {std::move(place), {}};
}

}  // namespace symcached::sources
