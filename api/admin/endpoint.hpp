#pragma once
/// The admin listener: GET and HEAD of /metrics, /healthcheck and /readyz; what pprof asks for.
#include <functional>
#include <string>

#include "api/admin/health.hpp"
#include "api/admin/pprof.hpp"
#include "net/http.hpp"
#include "net/task.hpp"

namespace symcached::api {

struct AdminOptions {
  std::function<std::string()> metrics;  ///< as Prometheus' text format has them
  Unready unready;
  PprofDesk* pprof = nullptr;  ///< null: there are no profiles. Outlives the server
};

Task<http::Response> answer_admin(http::Request request, AdminOptions options);

}  // namespace symcached::api
