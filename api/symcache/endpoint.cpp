#include "api/symcache/endpoint.hpp"

#include <fmt/format.h>

#include "base/hex.hpp"
#include "base/overloaded.hpp"

namespace symcached::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kDigestDigits = 32;        ///< of the SHA-256 in an ETag
constexpr std::uint16_t kPollsAfterFailure = 3;  ///< failures in a row after which a polling client is told no
constexpr seconds kBusyRetry{10};

http::Header no_store() { return {"Cache-Control", "no-store"}; }
http::Header retry_after(seconds delay) { return {"Retry-After", fmt::format("{}", delay.count())}; }

std::string etag_of(const store::Entry& entry) {
  return fmt::format("\"{}-{}\"", kOpenVersion.to_string(),
                     to_hex(entry.head().payload_sha256).substr(0, kDigestDigits));
}

http::Response ready(const service::Ready& ready, const http::Request& request) {
  const std::string media_type =
      fmt::format("application/vnd.symcached.symcache; version={}", kOpenVersion.to_string());
  const std::shared_ptr<const Descriptor> file(ready.entry, &ready.entry->file());
  return http::file_response(request, {file, store::kPayloadOffset, ready.entry->size()}, etag_of(*ready.entry),
                             {{"Content-Type", media_type}, {"Vary", "If-Version-Exceeds"}});
}

http::Response failed(const service::Failed& failure, bool may_retry) {
  if (failure.lasting) return http::text(404, "PDB found but unusable; see the server log", {no_store()});
  if (may_retry && failure.failures < kPollsAfterFailure)
    return http::text(404, "temporarily unavailable; retry later", {retry_after(failure.retry_in), no_store()});
  return http::text(404, "temporarily unavailable; see the server log", {no_store()});
}

/// A client that polls knows one way to be told to come back: 404.
http::Response busy(bool may_retry, std::string_view why, seconds retry_in) {
  return http::text(may_retry ? 404 : 503, why, {retry_after(retry_in), no_store()});
}

/// The client has a version at least as new as the one we make: nothing to send, unless nobody has the file.
http::Response nothing_newer(const std::optional<service::Outcome>& known) {
  if (known && std::holds_alternative<service::Absent>(*known)) return to_response(*known, {}, false);
  return {304, {{"Vary", "If-Version-Exceeds"}}, ""};
}

}  // namespace

http::Response to_response(const service::Outcome& outcome, const http::Request& request, bool may_retry) {
  return std::visit(
      overloaded{[&](const service::Ready& r) { return ready(r, request); },
                 [&](const service::Absent& a) {
                   return http::text(404, "PDB not found",
                                     {{"Cache-Control", fmt::format("max-age={}", a.retry_in.count())}});
                 },
                 [&](const service::Failed& f) { return failed(f, may_retry); },
                 [&](const service::Pending& p) {
                   return http::text(404, "conversion in progress; retry later", {retry_after(p.retry_in), no_store()});
                 },
                 [&](const service::Overloaded&) { return busy(may_retry, "server busy; retry later", kBusyRetry); },
                 [&](const service::Unable& u) {
                   return busy(may_retry, "server out of resources; retry later", u.retry_in);
                 }},
      outcome);
}

Task<http::Response> get_open_symcache(http::Request request, std::vector<std::string> segments,
                                       service::CacheService& service, milliseconds hold) {
  const auto path = parse_symcache_path(segments);
  if (!path) co_return http::text(path.error().status, path.error().why);
  const auto conditions = parse_symcache_conditions(request, path->version);
  if (!conditions) co_return http::text(conditions.error().status, conditions.error().why);
  if (path->version.major_part < kOpenVersion.major_part)
    co_return http::text(404, "version too old; 2.0.0 is the lowest");
  if (conditions->exceeds && kOpenVersion <= *conditions->exceeds)
    co_return nothing_newer(service.peek(path->pdb.query()));
  const bool must_not_wait = conditions->may_retry || request.is("HEAD");
  const service::Outcome outcome = co_await service.find(path->pdb.query(), must_not_wait ? milliseconds(0) : hold);
  co_return to_response(outcome, request, conditions->may_retry);
}

}  // namespace symcached::api
