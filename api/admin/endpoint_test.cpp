#include "api/admin/endpoint.hpp"

#include <gmock/gmock.h>

#include "net/run_task.hpp"
#include "testing/pprof/fake_sources.hpp"

namespace symcached::api {
namespace {

TEST(Admin, Table) {
  struct Row {
    const char *method, *target, *unready;
    unsigned status;
    const char* body;
  };
  const Row rows[] = {
      {"GET", "/metrics", nullptr, 200, "m 1\n"},
      {"HEAD", "/metrics?x", nullptr, 200, "m 1\n"},
      {"GET", "/healthcheck", "full", 200, "ok"},
      {"GET", "/readyz", nullptr, 200, "ready\n"},
      {"GET", "/readyz", "full", 503, "full\n"},
      {"GET", "/", nullptr, 200, "symcached admin: /metrics /healthcheck /readyz /debug/pprof/\n"},
      {"GET", "/metrics/x", nullptr, 404, "no such path; see /\n"},
      {"GET", "x", nullptr, 404, "no such path; see /\n"},
      {"GET", "/pprof/symbol", nullptr, 200, "num_symbols: 3\n"},
      {"POST", "/symbolz", nullptr, 200, ""},
      {"POST", "/pprof/cmdline", nullptr, 405, "%warn this page takes GET, HEAD only\n"},
      {"POST", "/metrics", nullptr, 405, "method not allowed; use GET or HEAD\n"},
  };
  pprof::FakeSources fake;
  PprofDesk desk(fake.sources());
  for (const Row& r : rows) {
    const AdminOptions options{[] { return std::string("m 1\n"); },
                               [&]() -> std::optional<std::string> {
                                 if (r.unready == nullptr) return std::nullopt;
                                 return r.unready;
                               },
                               &desk};
    const http::Response response = run_task(answer_admin({r.method, r.target}, options));
    EXPECT_EQ(response.status, r.status) << r.target;
    EXPECT_EQ(std::get<std::string>(response.body), r.body) << r.target;
  }
}

}  // namespace
}  // namespace symcached::api
