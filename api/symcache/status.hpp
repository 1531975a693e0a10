#pragma once
/// GET and HEAD /open/status/{pdbName}/{pdbId}[/{pdbAge}]: why there is a symcache or none, as JSON.
/// Spec: docs/protocols/symcache-http.md, "The status of a symcache".
#include <string>
#include <vector>

#include "net/http.hpp"
#include "service/cache_service.hpp"

namespace symcached::api {

/// @param segments  of the path, behind "/open/status"
http::Response get_open_status(const std::vector<std::string>& segments, service::CacheService& service);

/// Pure.
http::Response to_response(const service::KeyStatus& status);

}  // namespace symcached::api
