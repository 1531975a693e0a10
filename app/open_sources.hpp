#pragma once
/// The sources that a server asks.
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "app/metrics.hpp"
#include "config/config.hpp"
#include "fetch/source.hpp"
#include "net/log.hpp"

namespace symcached::app {

using Sources = std::vector<std::unique_ptr<fetch::Source>>;

/// @param metrics  count what the sources answer; outlive them
/// @return all sources, or what is wrong with the first that cannot be used
std::expected<Sources, std::string> open_sources(const std::vector<sources::SourceConfig>& configured,
                                                 fetch::ObjectCache& objects, fetch::HttpClient& client,
                                                 Metrics& metrics, const Log& log);

}  // namespace symcached::app
