#include "api/symcache/endpoint.hpp"

#include <fmt/format.h>

#include "api/symcache/responses.hpp"
#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "wpt/media_type.hpp"

namespace symcached::api {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kDigestDigits = 32;  ///< of the SHA-256 in an ETag

std::string etag_of(const store::Entry& entry) {
  return fmt::format("\"{}-{}\"", kOpenVersion.to_string(),
                     to_hex(entry.head().payload_sha256).substr(0, kDigestDigits));
}

http::Response ready(const service::Ready& ready, const http::Request& request) {
  const std::shared_ptr<const Descriptor> file(ready.entry, &ready.entry->file());
  return http::file_response(request, {file, store::kPayloadOffset, ready.entry->size()}, etag_of(*ready.entry),
                             file_headers(wpt::media_type_of(wpt::kOpenType, kOpenVersion)));
}

/// The client has a version at least as new as the one we make: nothing to send, unless nobody has the file.
http::Response if_there_is_one(const std::optional<service::Outcome>& known) {
  const auto* absent = known ? std::get_if<service::Absent>(&*known) : nullptr;
  return absent != nullptr ? to_response(*absent, false) : nothing_newer();
}

}  // namespace

http::Response to_response(const service::Outcome& outcome, const http::Request& request, bool may_retry) {
  return std::visit(overloaded{[&](const service::Ready& r) { return ready(r, request); },
                               [&](const auto& other) { return to_response(other, may_retry); }},
                    outcome);
}

Task<http::Response> get_open_symcache(http::Request request, std::vector<std::string> segments,
                                       service::CacheService& service, milliseconds hold) {
  const auto path = parse_symcache_path(segments);
  if (!path) co_return http::text(path.error().status, path.error().why);
  const auto conditions = parse_symcache_conditions(request, path->version);
  if (!conditions) co_return http::text(conditions.error().status, conditions.error().why);
  if (path->version < kOpenVersion)
    co_return http::text(404, fmt::format("version too old; {} is the lowest", kOpenVersion.to_string()));
  if (conditions->exceeds && kOpenVersion <= *conditions->exceeds)
    co_return if_there_is_one(service.peek(path->pdb.query()));
  const bool must_not_wait = conditions->may_retry || request.is("HEAD");
  const service::Outcome outcome = co_await service.find(path->pdb.query(), must_not_wait ? milliseconds(0) : hold);
  co_return to_response(outcome, request, conditions->may_retry);
}

}  // namespace symcached::api
