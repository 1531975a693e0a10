#include "api/symcache/responses.hpp"

#include <fmt/format.h>

#include <chrono>

namespace symcached::api {
namespace {

using std::chrono::seconds;

constexpr std::uint16_t kPollsAfterFailure = 3;  ///< failures in a row after which a polling client is told no
constexpr seconds kBusyRetry{10};
constexpr std::size_t kLikelyHeaders = 6;

http::Header no_store() { return {"Cache-Control", "no-store"}; }
http::Header retry_after(seconds delay) { return {"Retry-After", fmt::format("{}", delay.count())}; }

/// A client that polls knows one way to be told to come back: 404.
http::Response busy(bool may_retry, std::string_view why, seconds retry_in) {
  return http::text(may_retry ? 404 : 503, why, {retry_after(retry_in), no_store()});
}

}  // namespace

http::Response to_response(const service::Absent& absent, bool) {
  return http::text(404, "PDB not found", {{"Cache-Control", fmt::format("max-age={}", absent.retry_in.count())}});
}

http::Response to_response(const service::Failed& failure, bool may_retry) {
  if (failure.lasting) return http::text(404, "PDB found but unusable; see the server log", {no_store()});
  if (may_retry && failure.failures < kPollsAfterFailure)
    return http::text(404, "temporarily unavailable; retry later", {retry_after(failure.retry_in), no_store()});
  return http::text(404, "temporarily unavailable; see the server log", {no_store()});
}

http::Response to_response(const service::Pending& pending, bool) {
  return http::text(404, "conversion in progress; retry later", {retry_after(pending.retry_in), no_store()});
}

http::Response to_response(const service::Overloaded&, bool may_retry) {
  return busy(may_retry, "server busy; retry later", kBusyRetry);
}

http::Response to_response(const service::Unable& unable, bool may_retry) {
  return busy(may_retry, "server out of resources; retry later", unable.retry_in);
}

http::Response nothing_newer() { return {304, {{"Vary", "If-Version-Exceeds"}}, ""}; }

http::Headers file_headers(std::string media_type) {
  http::Headers headers;
  headers.reserve(kLikelyHeaders);
  headers.emplace_back("Content-Type", std::move(media_type));
  headers.emplace_back("Vary", "If-Version-Exceeds");
  return headers;
}

}  // namespace symcached::api
