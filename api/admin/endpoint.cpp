#include "api/admin/endpoint.hpp"

namespace symcached::api {
namespace {

constexpr std::string_view kTextFormat = "text/plain; version=0.0.4; charset=utf-8";  ///< of Prometheus

http::Response index() { return http::text(200, "symcached admin: /metrics /healthcheck /readyz /debug/pprof/"); }

}  // namespace

Task<http::Response> answer_admin(http::Request request, AdminOptions options) {
  if (options.pprof != nullptr && PprofDesk::has(request.target))
    co_return co_await options.pprof->answer(std::move(request));
  if (!request.is("GET") && !request.is("HEAD"))
    co_return http::text(405, "method not allowed; use GET or HEAD", {{"Allow", "GET, HEAD"}});
  const auto path = http::path_segments(request.target);
  const std::string name = path && path->size() == 1 ? path->front() : "?";
  if (name.empty()) co_return index();
  if (name == "healthcheck") co_return healthcheck();
  if (name == "readyz") co_return readiness(options.unready);
  if (name != "metrics") co_return http::text(404, "no such path; see /");
  http::Response response{200, {{"Content-Type", std::string(kTextFormat)}, {"Cache-Control", "no-store"}}};
  response.body = options.metrics();
  co_return response;
}

}  // namespace symcached::api
