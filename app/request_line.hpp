#pragma once
/// What the log says of a request with stack traces. docs/server.md
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/log.hpp"
#include "service/request_answer.hpp"

namespace symcached::app {

struct RequestLine {
  Severity severity;
  std::string text;
  std::vector<LogField> fields;  ///< the request's id first
};

/// @param slow  what takes longer is told
/// @return      nothing: there is nothing to tell. Cost of that: no allocation
std::optional<RequestLine> line_of(const service::RequestEnd& end, std::chrono::milliseconds slow);

}  // namespace symcached::app
