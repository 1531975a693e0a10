#pragma once
/// The admin listener: GET and HEAD of /metrics, /healthcheck and /readyz.
#include <functional>
#include <string>

#include "api/admin/health.hpp"
#include "net/http.hpp"
#include "net/task.hpp"

namespace symcached::api {

struct AdminOptions {
  std::function<std::string()> metrics;  ///< as Prometheus' text format has them
  Unready unready;
};

Task<http::Response> answer_admin(http::Request request, AdminOptions options);

}  // namespace symcached::api
