#include "net/response_head.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <iterator>

namespace symcached::net {
namespace {

constexpr std::size_t kLikelyHead = 512;  ///< bytes

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
  std::string out;
  out.reserve(kLikelyHead);
  const auto line = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  out.append("HTTP/1.1 ").append(fmt::format_int(response.status).c_str()).append(" ");
  out.append(http::reason_phrase(response.status)).append("\r\n");
  for (const auto& [name, value] : response.headers) line(name, value);
  line("Date", http_date());
  if (response.status != 204 && response.status != 304)
    line("Content-Length", fmt::format_int(response.body_size()).c_str());
  if (!keep_alive) line("Connection", "close");
  else if (!http_1_1) line("Connection", "keep-alive");
  out.append("\r\n");
  return out;
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
