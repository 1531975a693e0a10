#include "net/response_head.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <iterator>

namespace symcached::net {
namespace {

std::string_view http_date() {
  thread_local std::time_t at = -1;
  thread_local std::array<char, 40> text{};
  thread_local std::size_t size = 0;
  if (const std::time_t now = std::time(nullptr); now != at) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    at = now;
  }
  return {text.data(), size};
}

}  // namespace

std::string head_of(const http::Response& response, bool http_1_1, bool keep_alive) {
  fmt::memory_buffer out;
  const auto to = fmt::appender(out);
  fmt::format_to(to, "HTTP/1.1 {} {}\r\n", response.status, http::reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) fmt::format_to(to, "{}: {}\r\n", name, value);
  fmt::format_to(to, "Date: {}\r\n", http_date());
  if (response.status != 204 && response.status != 304)
    fmt::format_to(to, "Content-Length: {}\r\n", response.body_size());
  if (!keep_alive) fmt::format_to(to, "Connection: close\r\n");
  else if (!http_1_1) fmt::format_to(to, "Connection: keep-alive\r\n");
  fmt::format_to(to, "\r\n");
  return fmt::to_string(out);
}

std::string_view too_many_connections() {
  return "HTTP/1.1 503 Service Unavailable\r\n"
         "Retry-After: 5\r\n"
         "Content-Type: text/plain; charset=utf-8\r\n"
         "Content-Length: 34\r\n"
         "Connection: close\r\n"
         "\r\n"
         "too many connections; retry later\n";
}

}  // namespace symcached::net
