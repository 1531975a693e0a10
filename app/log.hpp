#pragma once
/// The server's log, on stderr.
#include <memory>

#include "config/config.hpp"
#include "net/log.hpp"

namespace spdlog {
class logger;
}

namespace symcached::app {

/// Copies write to one log.
class ServerLog {
 public:
  explicit ServerLog(const config::Logging& logging);
  /// From any thread, at any time.
  void set_level(config::LogLevel level);
  /// Control characters in lines are spelled out.
  Log log() const { return log_; }

 private:
  std::shared_ptr<spdlog::logger> logger_;
  Log log_;
};

}  // namespace symcached::app
