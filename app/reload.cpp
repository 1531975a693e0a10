#include "app/reload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>

#include "config/changes.hpp"

namespace symcached::app {

Reloader::Reloader(ServeOptions options, config::Config running, Actions actions, Log log)
    : options_(std::move(options)),
      started_(running),
      current_(std::move(running)),
      actions_(std::move(actions)),
      log_(std::move(log)) {}

void Reloader::reload() {
  const auto refuse = [this](const std::vector<std::string>& why) {
    for (const std::string& line : why) log_(Severity::error, line);
    log_(Severity::error, "configuration not reloaded; the one before stays in force");
  };
  try {
    config::Loaded loaded = load_config(options_);
    for (const std::string& line : config::warning_lines(loaded.report, options_.config_file))
      log_(Severity::warning, line);
    if (const auto errors = config::error_lines(loaded.report, options_.config_file); !errors.empty())
      return refuse(errors);
    auto sources = actions_.open_sources(loaded.config);
    if (!sources) return refuse({sources.error()});
    take(std::move(loaded.config), std::move(*sources));
  } catch (const std::exception& error) {
    refuse({error.what()});
  }
}

void Reloader::take(config::Config next, Sources sources) {
  for (const config::Change& change : config::changes(started_, next))
    if (change.use == config::Use::restart)
      log_(Severity::warning, fmt::format("{}: the new value counts after a restart", change.key));
  std::vector<std::string> changed;
  for (config::Change& change : config::changes(current_, next))
    if (change.use == config::Use::live) changed.push_back(std::move(change.key));
  actions_.apply(next, std::move(sources));
  current_ = std::move(next);
  log_(Severity::info, changed.empty() ? "configuration reloaded; nothing changed"
                                       : fmt::format("configuration reloaded; changed: {}", fmt::join(changed, ", ")));
}

}  // namespace symcached::app
