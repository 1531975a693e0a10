#include "profiling/page.hpp"

namespace symcached::pprof {
namespace {

constexpr std::string_view kPlain = "text/plain; charset=utf-8";

/// Each line of the reason behind "%warn ", which is the only kind of line that google-pprof shows.
std::string warn_lines(std::string_view reason) {
  std::string lines;
  for (std::size_t at = 0; at <= reason.size();) {
    const std::size_t end = std::min(reason.find('\n', at), reason.size());
    if (end > at) lines.append("%warn ").append(reason.substr(at, end - at)).append("\n");
    at = end + 1;
  }
  return lines.empty() ? "%warn no reason is known\n" : lines;
}

}  // namespace

std::string_view PageResponse::header(std::string_view name) const {
  for (const auto& [known, value] : headers)
    if (known == name) return value;
  return {};
}

PageResponse refused(const Refusal& why) {
  PageResponse page = text_page(warn_lines(why.reason));
  page.status = why.status;
  page.headers.emplace_back("X-Go-Pprof", "1");
  if (why.retry_after > 0) page.headers.emplace_back("Retry-After", std::to_string(why.retry_after));
  return page;
}

PageResponse text_page(std::string body) {
  return {200,
          {{"Content-Type", std::string(kPlain)}, {"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}},
          std::move(body)};
}

}  // namespace symcached::pprof
