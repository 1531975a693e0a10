#pragma once
/// Which path is answered by what.
#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "api/admin/health.hpp"
#include "api/prefixes.hpp"
#include "api/proxy/endpoint.hpp"
#include "api/recorder.hpp"
#include "api/symbolicator/endpoint.hpp"
#include "api/symcache/microsoft.hpp"
#include "api/transcode/endpoint.hpp"
#include "auth/gate.hpp"
#include "net/http.hpp"
#include "net/rate_limiter.hpp"
#include "net/task.hpp"
#include "service/cache_service.hpp"

namespace symcached::api {

struct ApiOptions {
  std::chrono::milliseconds hold{95'000};  ///< the longest a request waits; below the 100 s at which proxies give up
  Unready unready = {};
  bool is_https = false;  ///< how clients reach the server
  Prefixes prefixes = {};
  auth::Gate* gate = nullptr;        ///< null: everybody is let in
  net::RateLimiter* rate = nullptr;  ///< null: clients may ask as often as they like. Outlives the server
  /// After each request, with one of route_names(). From any thread.
  std::function<void(std::string_view route, unsigned status)> answered = {};
  Recorder* recorder = nullptr;              ///< outlives the server
  service::WptService* microsoft = nullptr;  ///< of Microsoft's symcaches; null: they are not served. Outlives it, too
  Redirect redirect = {};                    ///< of those
  StackDesk stacks = {};                     ///< for stack traces; without a service they are not answered
  service::FileService* files = nullptr;     ///< for debuggers; null: they get none. Outlives the server
  const WorkerDesk* workers = nullptr;       ///< of transcoders on other machines; null: none. Outlives it, too
};

/// What requests are counted as: a name for each route, and one for paths that lead nowhere.
std::vector<std::string_view> route_names();

/// For net::ServerOptions: where the body of a request goes, or why it is not wanted. `options` outlives the server.
http::BodyPlan plan_body(const http::Request& head, const ApiOptions& options);

/// `service` and `options` outlive the server.
Task<http::Response> answer(http::Request request, service::CacheService& service, const ApiOptions& options);

}  // namespace symcached::api
