#pragma once
/// `GET /proxy/NAME/ID/NAME`. Spec: docs/protocols/symbol-proxy.md.
#include <chrono>
#include <string>
#include <vector>

#include "net/http.hpp"
#include "net/task.hpp"
#include "service/file_service.hpp"

namespace symcached::api {

/// @param below  segments after `proxy`
/// @param hold   the longest a request waits
Task<http::Response> get_proxied(http::Request request, std::vector<std::string> below, service::FileService& files,
                                 std::chrono::milliseconds hold);

}  // namespace symcached::api
