#include "wpt/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/ascii.hpp"
#include "sources/path_words.hpp"

namespace symcached::wpt {
namespace {

using Indices = std::vector<std::size_t>;

class Parser {
 public:
  explicit Parser(const sources::PathMap& map) : map_(map) {}

  void element(std::string_view text) {
    const auto all = sources::split(text, "*");
    std::span<const std::string_view> words = all;
    const std::string keyword = words.size() > 1 ? lower_ascii(words.front()) : "";
    if (keyword == "srv" || keyword == "cache") words = words.subspan(1);
    if (keyword == "symsrv") words = without_provider(words.subspan(1));
    Indices keepers = keep_all_;
    for (const std::string_view word : words)
      if (!word.empty()) add(word, keepers);
    if (keyword == "cache") keep_all_ = std::move(keepers);
  }
  SymcachePath finish() && { return std::move(path_); }

 private:
  void warn(std::string_view word, std::string_view why) {
    path_.warnings.push_back(fmt::format("\"{}\" {}", sources::without_credentials(word), why));
  }

  std::span<const std::string_view> without_provider(std::span<const std::string_view> words) {
    if (lower_ascii(words.front()) != "symsrv.dll") warn(words.front(), "is a provider that only Windows can load");
    return words.subspan(1);
  }

  /// @param keepers  of what is found at the place; a folder becomes one of them
  void add(std::string_view word, Indices& keepers) {
    auto [place, fault] = sources::place_of(word, map_);
    if (!fault.empty()) return warn(word, fault);
    const bool is_server = sources::is_http(place);
    if (!is_server && path_.directory.empty()) path_.directory = place;
    if (place == path_.directory) return;
    auto& all = path_.alternates;
    const auto found = std::ranges::find(all, place, &Alternate::place);
    if (found == all.end() && all.size() == kMaxAlternates) return warn(word, "is left out: too many places");
    const auto index = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back({std::move(place), is_server, keepers});
    if (!is_server && std::ranges::find(keepers, index) == keepers.end()) keepers.push_back(index);
  }

  const sources::PathMap& map_;
  SymcachePath path_;
  Indices keep_all_;  ///< folders that keep what is found in the elements to come
};

}  // namespace

SymcachePath parse_symcache_path(std::string_view text, const sources::PathMap& map) {
  Parser parser(map);
  for (const std::string_view element : sources::split(text.substr(0, kMaxSymcachePath), ";")) parser.element(element);
  return std::move(parser).finish();
}

}  // namespace symcached::wpt
