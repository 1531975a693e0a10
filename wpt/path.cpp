#include "wpt/path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "sources/path_words.hpp"

namespace symcached::wpt {
namespace {

void add(SymcachePath& path, std::string_view word, const sources::PathMap& map) {
  const auto warn = [&](std::string_view why) {
    path.warnings.push_back(fmt::format("\"{}\" {}", sources::without_credentials(word), why));
  };
  auto [place, fault] = sources::place_of(word, map);
  if (!fault.empty()) return warn(fault);
  Alternate alternate{std::move(place), false};
  alternate.is_server = sources::is_http(alternate.place);
  if (!alternate.is_server && path.directory.empty()) {
    path.directory = std::move(alternate.place);
    return;
  }
  if (alternate.place == path.directory || std::ranges::find(path.alternates, alternate) != path.alternates.end())
    return;
  if (path.alternates.size() == kMaxAlternates) return warn("is left out: too many places");
  path.alternates.push_back(std::move(alternate));
}

bool is_keyword(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return lower == "srv" || lower == "cache";
}

}  // namespace

SymcachePath parse_symcache_path(std::string_view text, const sources::PathMap& map) {
  SymcachePath path;
  for (const std::string_view element : sources::split(text.substr(0, kMaxSymcachePath), ";")) {
    const auto words = sources::split(element, "*");
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool leads = i == 0 && words.size() > 1;
      if (!words[i].empty() && !(leads && is_keyword(words[i]))) add(path, words[i], map);
    }
  }
  return path;
}

}  // namespace symcached::wpt
