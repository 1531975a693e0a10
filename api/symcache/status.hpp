#pragma once
/// GET and HEAD /open/status/{pdbName}/{pdbId}[/{pdbAge}], and /status/… for Microsoft's format: why there is a
/// symcache or none, as JSON. Spec: docs/protocols/symcache-http.md, "The status of a symcache".
#include <string>
#include <vector>

#include "net/http.hpp"
#include "service/cache_service.hpp"
#include "service/wpt_service.hpp"

namespace symcached::api {

/// @param segments  of the path, behind "/open/status"
http::Response get_open_status(const std::vector<std::string>& segments, service::CacheService& service);

/// @param segments  of the path, behind "/status"
http::Response get_microsoft_status(const std::vector<std::string>& segments, service::WptService& service);

/// Pure.
http::Response to_response(const service::KeyStatus& status);
http::Response to_response(const service::WptStatus& status);

}  // namespace symcached::api
