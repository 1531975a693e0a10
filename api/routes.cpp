#include "api/routes.hpp"

#include "api/open_symcache.hpp"
#include "api/pages.hpp"
#include "api/version.hpp"

namespace symcached::api {
namespace {

constexpr std::string_view kAllowed = "GET, HEAD";

using Segments = std::vector<std::string>;

bool is_path(const Segments& segments, std::string_view only) { return segments.size() == 1 && segments[0] == only; }

/// What Windows Performance Analyzer asks for: /v3.1.0/name/id.
bool is_microsofts(const Segments& segments) {
  return segments.size() >= 3 && segments[0].size() > 1 && (segments[0][0] == 'v' || segments[0][0] == 'V') &&
         Version::parse(segments[0].substr(1));
}

}  // namespace

Task<http::Response> answer(http::Request request, service::SymcacheService& service, ApiOptions options) {
  const http::Header allow{"Allow", kAllowed};
  if (request.is("OPTIONS")) co_return http::Response{204, {allow}, ""};
  if (!request.is("GET") && !request.is("HEAD"))
    co_return http::text(405, "method not allowed; use GET or HEAD", {allow});
  auto segments = http::path_segments(request.target);
  if (!segments) co_return http::text(400, "request target is not a path");
  if (is_path(*segments, "")) co_return index_page(request);
  if (is_path(*segments, "healthcheck")) co_return http::text(200, "ok", {{"Cache-Control", "no-store"}});
  if (http::same_name(segments->front(), "open")) {
    segments->erase(segments->begin());
    co_return co_await get_open_symcache(std::move(request), std::move(*segments), service, options.hold);
  }
  if (is_microsofts(*segments))
    co_return http::text(404, "Microsoft's symcache format is not served; the open format is below /open/");
  co_return http::text(404, "no such path; see /");
}

}  // namespace symcached::api
