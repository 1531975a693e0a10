#include "app/open_sources.hpp"

#include <fmt/format.h>

namespace symcached::app {

std::expected<Sources, std::string> open_sources(const std::vector<sources::SourceConfig>& configured,
                                                 fetch::ObjectCache& objects, fetch::HttpClient& client,
                                                 Metrics& metrics, const Log& log) {
  Sources all;
  for (const sources::SourceConfig& config : configured) {
    auto source = fetch::make_source(config, objects, client, log);
    if (!source) return std::unexpected(fmt::format("source \"{}\": {}", config.id, source.error()));
    log(Severity::info, fmt::format("symbols: {}", (*source)->name()));
    all.push_back(metrics.counting(std::move(*source), config.id));
  }
  if (all.empty()) log(Severity::warning, "no sources given; serving only what is cached");
  return all;
}

}  // namespace symcached::app
