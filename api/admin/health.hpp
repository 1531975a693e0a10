#pragma once
/// Liveness and readiness.
#include <functional>
#include <optional>
#include <string>

#include "net/http.hpp"

namespace symcached::api {

/// Why no requests should be sent here now; nothing if they may.
using Unready = std::function<std::optional<std::string>()>;

/// 200: the process answers.
http::Response healthcheck();

/// 200, or 503 with the reason.
http::Response readiness(const Unready& unready);

}  // namespace symcached::api
