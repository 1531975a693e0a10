#include "app/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/json.hpp>

#include "base/utf8.hpp"

namespace symcached::app {
namespace {

constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})";

std::string as_json(const std::string& line) { return boost::json::serialize(boost::json::string(valid_utf8(line))); }

}  // namespace

ServerLog::ServerLog(const config::Logging& logging) : logger_(spdlog::stderr_logger_mt("symcached")) {
  const bool is_json = logging.format == config::LogFormat::json;
  logger_->set_pattern(is_json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
  logger_->flush_on(spdlog::level::debug);
  set_level(logging.level);
  log_ = [logger = logger_, is_json](Severity severity, const std::string& line) {
    constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    const auto level = kLevels[static_cast<std::size_t>(severity)];
    if (logger->should_log(level)) logger->log(level, spdlog::string_view_t(is_json ? as_json(line) : escaped(line)));
  };
}

void ServerLog::set_level(config::LogLevel level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err,
                               spdlog::level::off};
  logger_->set_level(kLevels[static_cast<std::size_t>(level)]);
}

}  // namespace symcached::app
