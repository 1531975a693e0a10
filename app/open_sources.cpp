#include "app/open_sources.hpp"

#include <fmt/format.h>

namespace symcached::app {
namespace {

/// Its directory or URL.
std::expected<std::string, std::string> place_of(const sources::SourceConfig& source) {
  if (const auto* folder = std::get_if<sources::FolderPlace>(&source.location)) return folder->path;
  if (const auto* http = std::get_if<sources::HttpPlace>(&source.location)) return http->url;
  return std::unexpected(
      fmt::format("source \"{}\": only sources of type http and filesystem can be asked", source.id));
}

}  // namespace

std::expected<Sources, std::string> open_sources(const std::vector<std::string>& symbols,
                                                 const std::vector<sources::SourceConfig>& configured,
                                                 fetch::ObjectCache& objects, fetch::HttpClient& client,
                                                 Metrics& metrics, const Log& log) {
  Sources all;
  const auto open = [&](const std::string& place, const std::string& id) -> std::expected<void, std::string> {
    auto source = fetch::make_source(place, objects, client);
    if (!source) return std::unexpected(std::move(source.error()));
    log(Severity::info, fmt::format("symbols: {}", (*source)->name()));
    const std::string label = id.empty() ? (*source)->name() : id;
    all.push_back(metrics.counting(std::move(*source), label));
    return {};
  };
  for (const std::string& text : symbols)
    if (auto opened = open(text, ""); !opened) return std::unexpected(std::move(opened.error()));
  for (const sources::SourceConfig& source : configured) {
    const auto place = place_of(source);
    if (!place) return std::unexpected(place.error());
    if (auto opened = open(*place, source.id); !opened)
      return std::unexpected(fmt::format("source \"{}\": {}", source.id, opened.error()));
  }
  if (all.empty()) log(Severity::warning, "no sources given; serving only what is cached");
  return all;
}

}  // namespace symcached::app
