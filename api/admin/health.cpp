#include "api/admin/health.hpp"

namespace symcached::api {
namespace {

http::Header no_store() { return {"Cache-Control", "no-store"}; }

}  // namespace

http::Response healthcheck() { return http::text(200, "ok", {no_store()}); }

http::Response readiness(const Unready& unready) {
  const auto why = unready ? unready() : std::nullopt;
  return why ? http::text(503, *why, {no_store(), {"Retry-After", "5"}}) : http::text(200, "ready", {no_store()});
}

}  // namespace symcached::api
