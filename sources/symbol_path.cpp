#include "sources/symbol_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/ascii.hpp"
#include "sources/path_words.hpp"

namespace symcached::sources {
namespace {

class Parser {
 public:
  explicit Parser(const PathMap& map) : map_(map) {}

  void element(std::string_view text) {
    if (text.empty()) return;
    const auto tokens = split(text, "*");
    const std::string keyword = lower_ascii(tokens.front());
    if (keyword == "srv") return chain(std::span(tokens).subspan(1));
    if (keyword == "symsrv") return provider(std::span(tokens).subspan(1));
    if (keyword == "cache") return cache(std::span(tokens).subspan(1));
    if (tokens.size() > 1) return warn(text, "begins with no word of the grammar: srv, symsrv or cache");
    store(text, false);
  }
  void debuginfod(std::string_view word) {
    if (word.empty() || has_scheme(word, "ima:")) return;
    std::string url(word);
    while (url.ends_with('/')) url.pop_back();
    if (url.find("/buildid") == std::string::npos) url += "/buildid";
    SourceConfig config = described(url);
    config.layout = Layout::debuginfod;
    if (is_http(url)) config.location = HttpPlace{.url = url};
    else if (has_scheme(url, "file://")) config.location = FolderPlace{url.substr(std::string_view("file://").size())};
    else return warn(word, "is no http://, https:// or file:// URL");
    add(std::move(config));
  }
  SymbolPath finish() && { return std::move(path_); }

 private:
  void warn(std::string_view what, std::string_view why) {
    path_.warnings.push_back(fmt::format("\"{}\" {}", without_credentials(what), why));
  }

  static SourceConfig described(std::string_view place) {
    SourceConfig config;
    config.id = without_credentials(place);
    config.is_public = true;
    return config;
  }

  void add(SourceConfig config) {
    const auto same = [&](const SourceConfig& s) { return s.id == config.id; };
    if (std::ranges::any_of(path_.sources, same)) return;
    if (path_.sources.size() == kMaxPathSources) return warn(config.id, "is left out: too many sources");
    path_.sources.push_back(std::move(config));
  }

  /// "symsrv.dll*…" is what srv stands for.
  void provider(std::span<const std::string_view> tokens) {
    if (tokens.empty() || lower_ascii(tokens.front()) != "symsrv.dll")
      return warn(tokens.empty() ? "symsrv" : tokens.front(), "is a provider that only Windows can load");
    chain(tokens.subspan(1));
  }

  /// The last store is where files come from, those before it are caches.
  void chain(std::span<const std::string_view> stores) {
    for (std::size_t i = 0; i < stores.size(); ++i) {
      if (stores[i].empty()) continue;
      const bool is_last = i + 1 == stores.size();
      if (is_http(stores[i]) && !is_last)
        warn(stores[i], "is not the last store of its chain, so nothing is kept there");
      store(stores[i], !is_last && !is_http(stores[i]));
    }
  }

  void cache(std::span<const std::string_view> folders) {
    for (const std::string_view folder : folders) {
      if (is_http(folder)) warn(folder, "is no folder to keep files in");
      else if (!folder.empty()) store(folder, true);
    }
  }

  void store(std::string_view place, bool is_cache) {
    const auto [local, fault] = place_of(place, map_);
    if (!fault.empty()) return warn(place, fault);
    SourceConfig config = described(local);
    if (is_http(local)) config.location = HttpPlace{.url = local};
    else config.location = FolderPlace{local};
    add(std::move(config));
    if (is_cache && !is_http(local) && std::ranges::find(path_.caches, local) == path_.caches.end())
      path_.caches.push_back(local);
  }

  const PathMap& map_;
  SymbolPath path_;
};

}  // namespace

SymbolPath parse_symbol_path(std::string_view text, const PathMap& map) {
  Parser parser(map);
  for (const std::string_view element : split(text.substr(0, kMaxSymbolPath), ";")) parser.element(element);
  return std::move(parser).finish();
}

SymbolPath parse_debuginfod_urls(std::string_view text) {
  const PathMap no_map;
  Parser parser(no_map);
  for (const std::string_view word : split(text.substr(0, kMaxSymbolPath), " \t\r\n")) parser.debuginfod(word);
  return std::move(parser).finish();
}

}  // namespace symcached::sources
