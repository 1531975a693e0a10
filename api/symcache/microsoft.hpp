#pragma once
/// GET and HEAD /v{version}/{pdbName}/{pdbId}[/{pdbAge}]: the SymCache protocol for Microsoft's own format.
/// Spec: docs/protocols/symcache-http.md.
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/http.hpp"
#include "net/task.hpp"
#include "service/wpt_service.hpp"

namespace symcached::api {

/// Clients that ask for a higher version poll, whether they say so or not.
inline constexpr wpt::Version kHighestHeld{3, 1, 0};

/// The URL that a symcache is sent from instead of from here; nothing: from here. From any thread.
using Redirect = std::function<Task<std::optional<std::string>>(transcode::SharedSymcache symcache)>;

/// @param segments  of the path, the version first
/// @param hold      how long a request may wait for a result
/// @param redirect  empty: none
Task<http::Response> get_microsoft_symcache(http::Request request, std::vector<std::string> segments,
                                            service::WptService& service, std::chrono::milliseconds hold,
                                            Redirect redirect);

/// Pure. @param polls     the client knows that a 404 with Retry-After is not the end
///       @param location  of the file, if it is sent from elsewhere
http::Response to_response(const service::WptOutcome& outcome, const http::Request& request, bool polls,
                           const std::optional<std::string>& location);

}  // namespace symcached::api
