#pragma once
/// Which path is answered by what.
#include <chrono>

#include "net/http.hpp"
#include "net/task.hpp"
#include "service/cache_service.hpp"

namespace symcached::api {

struct ApiOptions {
  std::chrono::milliseconds hold{95'000};  ///< the longest a request waits; below the 100 s at which proxies give up
};

/// `service` outlives the server.
Task<http::Response> answer(http::Request request, service::CacheService& service, ApiOptions options);

}  // namespace symcached::api
