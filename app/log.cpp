#include "app/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/json.hpp>

#include "base/overloaded.hpp"
#include "base/utf8.hpp"

namespace symcached::app {
namespace {

constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})";

std::string json_text(std::string_view text) { return boost::json::serialize(boost::json::string(valid_utf8(text))); }

}  // namespace

std::string with_fields(std::string line, std::span<const LogField> fields) {
  for (const LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    line += std::visit(overloaded{[](const std::string& text) { return text; },
                                  [](std::uint64_t number) { return std::to_string(number); }},
                       field.value);
  }
  return line;
}

std::string as_json(std::string_view line, std::span<const LogField> fields) {
  std::string members = json_text(line);
  for (const LogField& field : fields) {
    members.append(",\"").append(field.name).append("\":");
    members += std::visit(overloaded{[](const std::string& text) { return json_text(text); },
                                     [](std::uint64_t number) { return std::to_string(number); }},
                          field.value);
  }
  return members;
}

ServerLog::ServerLog(const config::Logging& logging) : logger_(spdlog::stderr_logger_mt("symcached")) {
  const bool is_json = logging.format == config::LogFormat::json;
  logger_->set_pattern(is_json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
  logger_->flush_on(spdlog::level::debug);
  set_level(logging.level);
  field_log_ = [logger = logger_, is_json](Severity severity, const std::string& line,
                                           std::span<const LogField> fields) {
    constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    const auto level = kLevels[static_cast<std::size_t>(severity)];
    if (!logger->should_log(level)) return;
    logger->log(level, spdlog::string_view_t(is_json ? as_json(line, fields) : escaped(with_fields(line, fields))));
  };
  log_ = [write = field_log_](Severity severity, const std::string& line) { write(severity, line, {}); };
}

void ServerLog::set_level(config::LogLevel level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err,
                               spdlog::level::off};
  logger_->set_level(kLevels[static_cast<std::size_t>(level)]);
}

}  // namespace symcached::app
