#pragma once
/// What SIGHUP does to the configuration of a running server.
#include <functional>

#include "app/open_sources.hpp"
#include "app/serve_options.hpp"
#include "config/config.hpp"
#include "net/log.hpp"

namespace symcached::app {

class Reloader {
 public:
  struct Actions {
    std::function<std::expected<Sources, std::string>(const config::Config& config)> open_sources;
    /// Puts what can change into force.
    std::function<void(const config::Config& config, Sources sources)> apply;
  };

  /// @param running  what the server was started with
  Reloader(ServeOptions options, config::Config running, Actions actions, Log log);

  /// Reads the file again. With an error in it, or a source that cannot be used, everything stays as it is. What
  /// counts only after a restart is named in the log.
  void reload();

 private:
  void take(config::Config next, Sources sources);

  const ServeOptions options_;
  const config::Config started_;
  config::Config current_;
  const Actions actions_;
  const Log log_;
};

}  // namespace symcached::app
