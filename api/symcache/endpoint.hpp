#pragma once
/// GET and HEAD /open/v{version}/{pdbName}/{pdbId}[/{pdbAge}]: the SymCache protocol for our own format.
/// Spec: docs/protocols/symcache-http.md.
#include <chrono>
#include <span>
#include <string>

#include "api/symcache/request.hpp"
#include "net/http.hpp"
#include "net/task.hpp"
#include "service/cache_service.hpp"
#include "symcache/format.hpp"

namespace symcached::api {

/// The version of the open format on the wire. Clients that know no newer one cannot read it.
inline constexpr wpt::Version kOpenVersion{symcache::kProtocolVersion[0], symcache::kProtocolVersion[1],
                                           symcache::kProtocolVersion[2]};

/// @param segments  of the path, behind "/open"
/// @param hold      how long a request may wait for a result
Task<http::Response> get_open_symcache(http::Request request, std::vector<std::string> segments,
                                       service::CacheService& service, std::chrono::milliseconds hold);

/// Pure: outcome to status, headers, body.
http::Response to_response(const service::Outcome& outcome, const http::Request& request, bool may_retry);

}  // namespace symcached::api
