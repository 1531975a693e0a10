#include "api/admin/health.hpp"

namespace symcached::api {
namespace {

http::Header no_store() { return {"Cache-Control", "no-store"}; }

}  // namespace

/// Without a line end: those who check Symbolicator compare with its two letters.
http::Response healthcheck() { return {200, {no_store(), {"Content-Type", "text/plain; charset=utf-8"}}, "ok"}; }

http::Response readiness(const Unready& unready) {
  const auto why = unready ? unready() : std::nullopt;
  return why ? http::text(503, *why, {no_store(), {"Retry-After", "5"}}) : http::text(200, "ready", {no_store()});
}

}  // namespace symcached::api
