#include "api/symcache/microsoft.hpp"

#include "api/symcache/request.hpp"
#include "api/symcache/responses.hpp"
#include "base/overloaded.hpp"
#include "wpt/media_type.hpp"

namespace symcached::api {
namespace {

using std::chrono::milliseconds;

http::Response send(const transcode::OpenSymcache& symcache, const http::Request& request,
                    const std::optional<std::string>& location) {
  http::Headers headers = file_headers(wpt::media_type_of(wpt::kMicrosoftType, symcache.version));
  if (location) {
    headers.emplace_back("Location", *location);
    headers.emplace_back("Cache-Control", "max-age=60");
    return {302, std::move(headers), ""};
  }
  http::FileSlice whole{symcache.file, 0, symcache.size};
  whole.bytes = symcache.bytes;
  if (!symcache.is_copy) whole.state = http::FileState{symcache.size, symcache.modified_ns};
  return http::file_response(request, std::move(whole), symcache.etag, std::move(headers));
}

/// Clients of this format get a 404 with no body; /open/status says why.
http::Response without_text(http::Response response) {
  if (response.status != 404) return response;
  std::erase_if(response.headers,
                [](const http::Header& header) { return http::same_name(header.first, "Content-Type"); });
  response.body = std::string();
  return response;
}

}  // namespace

http::Response to_response(const service::WptOutcome& outcome, const http::Request& request, bool polls,
                           const std::optional<std::string>& location) {
  return std::visit(
      overloaded{[&](const transcode::SharedSymcache& symcache) { return send(*symcache, request, location); },
                 [](const service::NothingNewer&) { return nothing_newer(); },
                 [](const service::NotMade&) {
                   return http::text(404,
                                     "no version that this client can read, and no transcoder or no source for one",
                                     {{"Cache-Control", "no-store"}});
                 },
                 [&](const auto& other) { return to_response(other, polls); }},
      outcome);
}

Task<http::Response> get_microsoft_symcache(http::Request request, std::vector<std::string> segments,
                                            service::WptService& service, milliseconds hold, Redirect redirect) {
  const auto path = parse_symcache_path(segments);
  if (!path) co_return without_text(http::text(path.error().status, path.error().why));
  const auto conditions = parse_symcache_conditions(request, path->version);
  if (!conditions) co_return http::text(conditions.error().status, conditions.error().why);
  if (path->version < wpt::kMicrosoftMinimum) co_return without_text(http::text(404, "version too old"));
  const bool polls = conditions->may_retry || path->version > kHighestHeld;
  service::WptQuery query{path->pdb.pdb_name, path->pdb.id, path->version, conditions->exceeds};
  const bool must_not_wait = polls || request.is("HEAD");
  const auto outcome = co_await service.find(std::move(query), must_not_wait ? milliseconds(0) : hold);
  std::optional<std::string> location;
  if (const auto* symcache = std::get_if<transcode::SharedSymcache>(&outcome); symcache != nullptr && redirect)
    location = co_await redirect(*symcache);
  co_return without_text(to_response(outcome, request, polls, location));
}

}  // namespace symcached::api
