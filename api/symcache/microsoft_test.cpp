#include "api/symcache/microsoft.hpp"

#include <gtest/gtest.h>

namespace symcached::api {
namespace {

using service::WptOutcome;
using std::chrono::seconds;

transcode::SharedSymcache symcache() {
  const auto file = std::make_shared<const Descriptor>();
  return std::make_shared<const transcode::OpenSymcache>(
      transcode::OpenSymcache{.file = file, .size = 7, .version = {3, 2, 0}, .etag = "\"e\"", .path = "p"});
}

TEST(MicrosoftResponse, ToldByOutcome) {
  struct Row {
    std::string_view why;
    WptOutcome outcome;
    bool polls;
    unsigned status;
    std::string_view retry_after, cache_control, content_type;
  };
  const service::Failed soft{"s", false, 1, seconds(60)}, lasting{"l", true, 1, seconds(86400)};
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  const Row rows[] = {
      {"a file", symcache(), false, 200, "", "", "application/vnd.ms-symcache; version=3.2.0"},
      {"the client has it", service::NothingNewer{}, true, 304, "", "", ""},
      {"nobody makes it", service::NotMade{}, true, 404, "", "no-store", kText},
      {"absent", service::Absent{seconds(1800)}, true, 404, "", "max-age=1800", kText},
      {"failed softly, polls", soft, true, 404, "60", "no-store", kText},
      {"failed softly", soft, false, 404, "", "no-store", kText},
      {"unusable", lasting, true, 404, "", "no-store", kText},
      {"pending", service::Pending{seconds(2)}, true, 404, "2", "no-store", kText},
      {"busy, polls", service::Overloaded{}, true, 404, "10", "no-store", kText},
      {"busy", service::Overloaded{}, false, 503, "10", "no-store", kText},
      {"no disk space", service::Unable{"", seconds(30)}, false, 503, "30", "no-store", kText},
  };
  for (const Row& r : rows) {
    const http::Response response = to_response(r.outcome, {}, r.polls, {});
    EXPECT_EQ(response.status, r.status) << r.why;
    EXPECT_EQ(response.header("Retry-After").value_or(""), r.retry_after) << r.why;
    EXPECT_EQ(response.header("Cache-Control").value_or(""), r.cache_control) << r.why;
    EXPECT_EQ(response.header("Content-Type").value_or(""), r.content_type) << r.why;
  }
}

TEST(MicrosoftResponse, ARedirectHasTheMediaTypeToo) {
  const http::Response response = to_response(symcache(), {}, false, "https://elsewhere/p");
  EXPECT_EQ(response.status, 302u);
  EXPECT_EQ(response.header("Location"), "https://elsewhere/p");
  EXPECT_EQ(response.header("Content-Type"), "application/vnd.ms-symcache; version=3.2.0");
  EXPECT_EQ(response.header("Cache-Control"), "max-age=60");
  EXPECT_EQ(response.body_size(), 0u);
}

}  // namespace
}  // namespace symcached::api
