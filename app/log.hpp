#pragma once
/// The server's log, on stderr.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/config.hpp"
#include "net/log.hpp"

namespace spdlog {
class logger;
}

namespace symcached::app {

/// What a line is about, for programs that read the log: `request=1f...`, in JSON a member.
struct LogField {
  std::string_view name;  ///< a lower-case word, static storage
  std::variant<std::string, std::uint64_t> value;
};
/// A Log of lines with fields. The same rules hold for those.
using FieldLog = std::function<void(Severity, const std::string& line, std::span<const LogField> fields)>;

/// "took long request=1f... ms=1200"
std::string with_fields(std::string line, std::span<const LogField> fields);
/// `"took long","request":"1f...","ms":1200`: a message, and the members behind it.
std::string as_json(std::string_view line, std::span<const LogField> fields);

/// Copies write to one log.
class ServerLog {
 public:
  explicit ServerLog(const config::Logging& logging);
  /// From any thread, at any time.
  void set_level(config::LogLevel level);
  /// Control characters in lines are spelled out.
  Log log() const { return log_; }
  FieldLog field_log() const { return field_log_; }

 private:
  std::shared_ptr<spdlog::logger> logger_;
  Log log_;
  FieldLog field_log_;
};

}  // namespace symcached::app
