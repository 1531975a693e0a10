#include "api/routes.hpp"

#include <gmock/gmock.h>

#include <future>

#include "api/symcache/endpoint.hpp"
#include "net/run_task.hpp"
#include "service/cache_versions.hpp"
#include "testing/server/fake_pdb.hpp"

namespace symcached::api {
namespace {

using service::Outcome;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::string_view kGuid = "3249D99D0C4049318610F4E4FB0B6936";
const DebugId kId{*Guid::parse(kGuid), 1};
const std::string kThere = "/open/v2.1.0/there.pdb/" + std::string(kGuid);
const std::string kMissing = "/open/v2.1.0/missing.pdb/" + std::string(kGuid);

TEST(SymcacheResponse, ToldByOutcome) {
  struct Row {
    std::string_view why;
    Outcome outcome;
    bool may_retry;
    unsigned status;
    std::string_view retry_after, cache_control;
  };
  const service::Failed soft{"s", false, 1, seconds(60)};
  const service::Failed soft_again{"s", false, 3, seconds(240)};
  const service::Failed lasting{"s", true, 1, seconds(86400)};
  const Row rows[] = {
      {"absent", service::Absent{seconds(1800)}, false, 404, "", "max-age=1800"},
      {"absent, polling", service::Absent{seconds(1800)}, true, 404, "", "max-age=1800"},
      {"soft", soft, false, 404, "", "no-store"},
      {"soft, polling", soft, true, 404, "60", "no-store"},
      {"soft again, polling", soft_again, true, 404, "", "no-store"},
      {"refused", lasting, true, 404, "", "no-store"},
      {"pending", service::Pending{seconds(1)}, true, 404, "1", "no-store"},
      {"held too long", service::Pending{seconds(2)}, false, 404, "2", "no-store"},
      {"overloaded", service::Overloaded{}, false, 503, "10", "no-store"},
      {"overloaded, polling", service::Overloaded{}, true, 404, "10", "no-store"},
      {"out of descriptors", service::Unable{"", seconds(2)}, false, 503, "2", "no-store"},
      {"out of descriptors, polling", service::Unable{"", seconds(2)}, true, 404, "2", "no-store"},
  };
  for (const Row& r : rows) {
    const http::Response response = to_response(r.outcome, {}, r.may_retry);
    EXPECT_EQ(response.status, r.status) << r.why;
    EXPECT_EQ(response.header("Retry-After").value_or(""), r.retry_after) << r.why;
    EXPECT_EQ(response.header("Cache-Control").value_or(""), r.cache_control) << r.why;
  }
}

class Routes : public ::testing::Test {
 protected:
  Routes() { symbols_.write("there.pdb/" + std::string(kGuid) + "1/there.pdb", fake_pdb("")); }

  http::Response ask(std::string method, std::string target, http::Headers headers = {}) {
    http::Request request{std::move(method), std::move(target), std::move(headers)};
    return run_task(answer(std::move(request), service_, {}));
  }
  std::vector<std::unique_ptr<fetch::Source>> sources() {
    std::vector<std::unique_ptr<fetch::Source>> all;
    all.push_back(std::move(*fetch::make_source(symbols_.path().string(), objects_, client_)));
    return all;
  }
  /// In place of a worker.
  Task<worker::Result> convert(worker::Sink sink) {
    if (gate_.valid()) gate_.wait();
    if (auto written = sink(std::vector<std::byte>(1000)); !written) co_return worker::SinkFailed{written.error()};
    co_return worker::Done{service::DerivedNote{.debug_id = kId}.text()};
  }

  TempFolder cache_;
  TempFolder symbols_;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(cache_.path(), 1));
  fetch::ObjectCache objects_{*store_, service::kObjects, {}, fetch::reader_of_this_process()};
  fetch::HttpClient client_{{}, "Test/1"};
  std::shared_future<void> gate_;
  service::CacheService service_{*store_, sources(),
                                 [this](const worker::Job&, worker::Sink sink) { return convert(std::move(sink)); },
                                 [](Severity, const std::string&) {}};
};

TEST_F(Routes, AHitCarriesEverything) {
  for (const std::string method : {"GET", "HEAD"}) {
    ask("GET", kThere);
    const http::Response response = ask(method, kThere);
    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(response.header("Content-Type"), "application/vnd.symcached.symcache; version=2.1.0");
    EXPECT_EQ(response.header("Vary"), "If-Version-Exceeds");
    EXPECT_EQ(response.header("Accept-Ranges"), "bytes");
    EXPECT_THAT(std::string(*response.header("ETag")), ::testing::MatchesRegex("\"2.1.0-[0-9a-f]+\""));
    EXPECT_EQ(response.body_size(), 1000u);
  }
}

TEST_F(Routes, Table) {
  ask("GET", kThere);
  ask("GET", kMissing);
  const std::string etag(*ask("GET", kThere).header("ETag"));
  const std::string newer = "/open/v2.5.0/there.pdb/" + std::string(kGuid);
  const std::string newer_missing = "/open/v2.5.0/missing.pdb/" + std::string(kGuid);
  struct Row {
    std::string_view why, method;
    std::string target;
    http::Headers headers;
    unsigned status;
  };
  const Row rows[] = {
      {"page", "GET", "/", {}, 200},
      {"page by HEAD", "HEAD", "/?x", {}, 200},
      {"health", "GET", "/healthcheck", {}, 200},
      {"ready", "GET", "/readyz", {}, 200},
      {"nothing there", "GET", "/robots.txt", {}, 404},
      {"base in another case", "GET", "/Open" + kThere.substr(5), {}, 200},
      {"no base", "GET", kThere.substr(5), {}, 404},
      {"only the base", "GET", "/open", {}, 404},
      {"no path", "GET", "x", {}, 400},
      {"options", "OPTIONS", kThere, {}, 204},
      {"options of all", "OPTIONS", "*", {}, 204},
      {"post", "POST", kThere, {}, 405},
      {"delete", "DELETE", kThere, {}, 405},
      {"trace", "TRACE", kThere, {}, 405},
      {"later version gets ours", "GET", newer, {}, 200},
      {"version 0", "GET", "/open/v0.9.0/there.pdb/" + std::string(kGuid), {}, 404},
      {"bad name", "GET", "/open/v2.1.0/..%5C/" + std::string(kGuid), {}, 400},
      {"client is up to date", "GET", newer, {{"If-Version-Exceeds", "2.1.0"}}, 304},
      {"client is up to date, HEAD", "HEAD", newer, {{"If-Version-Exceeds", "2.1.0"}}, 304},
      {"known to be missing", "GET", newer_missing, {{"If-Version-Exceeds", "2.1.0"}}, 404},
      {"exceeds what is asked for", "GET", kThere, {{"If-Version-Exceeds", "2.1.0"}}, 400},
      {"missing", "GET", kMissing, {}, 404},
      {"same tag", "GET", kThere, {{"If-None-Match", etag}}, 304},
      {"range", "GET", kThere, {{"Range", "bytes=0-9"}}, 206},
      {"range behind the end", "GET", kThere, {{"Range", "bytes=1000-"}}, 416},
  };
  for (const Row& r : rows) {
    const http::Response response = ask(std::string(r.method), r.target, r.headers);
    EXPECT_EQ(response.status, r.status) << r.why;
    const bool says_allowed = r.status == 405 || r.status == 204;
    EXPECT_EQ(response.header("Allow").value_or(""), says_allowed ? "GET, HEAD" : "") << r.why;
  }
}

TEST_F(Routes, TheStatusOfASymcacheSaysWhatWasTried) {
  const std::string guid(kGuid), there = "/open/status/there.pdb/" + guid, missing = "/open/status/missing.pdb/" + guid;
  const auto body = [&](const std::string& target) { return std::get<std::string>(ask("GET", target).body); };
  EXPECT_EQ(body(there + "/1"), R"({"key":"there.pdb/)" + guid +
                                    R"(1","state":"unknown","under_way":false,"sources":[]})"
                                    "\n");
  for (int i = 0; i < 2; ++i) ask("GET", kThere);  // made, then read and checked
  ask("GET", kMissing);
  EXPECT_THAT(body(there), HasSubstr(R"("state":"ready","size":1000,"holds":")"));
  const std::string symbols = symbols_.path().string();
  EXPECT_THAT(body(missing), HasSubstr(R"("state":"absent","retry_in":3600,"under_way":false,"sources":[{"source":")" +
                                       symbols + R"(","file":"pdb","state":"absent","retry_in":3600},{"source":")" +
                                       symbols + R"(","file":"breakpad","state":"absent")"));
  EXPECT_EQ(ask("GET", "/open/status/x.pdb/12").status, 404u);
  EXPECT_EQ(ask("GET", "/open/status").status, 404u);
}

TEST_F(Routes, RequestsAreCountedByRouteAndStatus) {
  std::vector<std::string> counted;
  ApiOptions options;
  options.answered = [&](std::string_view route, unsigned status) {
    counted.push_back(std::string(route) + " " + std::to_string(status));
  };
  for (const std::string target : {"/", "/OPEN", "/readyz", "/nothing", "x"})
    run_task(answer({"GET", target}, service_, options));
  EXPECT_THAT(counted, ::testing::ElementsAre("index 200", "open 404", "readyz 200", "none 404", "none 400"));
}

TEST_F(Routes, ClientsOverTheirRateAreToldToComeBack) {
  struct Row {
    std::string_view why, network, target, authorization;
    unsigned status;  ///< of the second request
    std::string_view retry_after = "1";
  };
  const Row rows[] = {
      {"an address", "192.0.2.1", "/open/v2.1.0/missing.pdb/x", "", 404},
      {"another path", "192.0.2.2", "/status/x", "", 429},
      {"health does not count", "192.0.2.4", "/healthcheck", "", 200, ""},
      {"nor do transcoders", "192.0.2.5", "/transcode/lease", "", 404, ""},
      {"nor do requests to log in", "192.0.2.6", "/", "", 401, ""},
      {"a wrong token counts for the address", "192.0.2.7", "/", "Bearer wrong", 429},
      {"a name, and a path that leads nowhere", "192.0.2.8", "/robots.txt", "Bearer secret", 429},
      {"the same from elsewhere", "192.0.2.9", "/", "Bearer secret", 429},
      {"another name", "192.0.2.8", "/", "Bearer other", 429},
  };
  const auto now = net::RateLimiter::Clock::now();
  net::RateLimiter limiter({.per_second = 1, .burst = 1}, net::RateLimiter::kMostClients, [&] { return now; });
  const auto gate = auth::Gate::open(
      {.tokens = {{"ci", "secret", {}}, {"dev", "other", {}}}, .rules = {{"anonymous", "missing*", true}}},
      [](Severity, const std::string&) {});
  ApiOptions options;
  options.gate = gate->get();
  options.rate = &limiter;
  for (const Row& r : rows) {
    http::Client client{"", std::string(r.network)};
    http::Response second;
    for (int i = 0; i < 2; ++i) {
      http::Request request{.target = std::string(r.target), .client = &client};
      if (!r.authorization.empty()) request.headers.emplace_back("Authorization", r.authorization);
      second = run_task(answer(std::move(request), service_, options));
    }
    EXPECT_EQ(second.status, r.status) << r.why;
    EXPECT_EQ(second.header("Retry-After").value_or(""), r.retry_after) << r.why;
    if (!r.retry_after.empty()) {
      EXPECT_EQ(second.header("Cache-Control"), "no-store") << r.why;
    }
  }
}

TEST_F(Routes, WhatIsWrongIsSaidPlainly) {
  struct Row {
    std::string_view why;
    std::string target;
    http::Headers headers;
    std::string_view want;
  };
  const std::string guid(kGuid);
  const Row rows[] = {
      {"Microsoft's format", "/v3.1.0/there.pdb/" + guid + "/1", {}, "Microsoft's symcaches are not served"},
      {"no such path", "/robots.txt", {}, "no such path"},
      {"age in hex, as in stores", "/open/v2.1.0/there.pdb/" + guid + "/1a", {}, "age must be decimal"},
      {"id and age in one", "/open/v2.1.0/there.pdb/" + guid + "1", {}, "GUID must be 32 hex digits"},
      {"version 1", "/open/v1.0.0/there.pdb/" + guid, {}, "version too old; 2.1.0 is the lowest"},
      {"no version", "/open/there.pdb/" + guid + "/1", {}, "version must look like v2.1.0"},
      {"name", "/open/v2.1.0/.pdb/" + guid, {}, "PDB name: file name starts with a dot"},
      {"missing", kMissing, {}, "PDB not found"},
      {"exceeds", kThere, {{"If-Version-Exceeds", "2.1.0"}}, "If-Version-Exceeds must be lower than"},
      {"the page", "/", {}, "curl -f -o app.symcache http://127.0.0.1:3021/open/v2.1.0/app.pdb/"},
  };
  for (const Row& r : rows)
    EXPECT_THAT(std::get<std::string>(ask("GET", r.target, r.headers).body), HasSubstr(r.want)) << r.why;
}

TEST_F(Routes, WhoMayNotWaitIsToldToComeBack) {
  struct Row {
    std::string_view why, method;
    http::Headers headers;
  };
  const Row rows[] = {
      {"polling", "GET", {{"Allow-Retry-After", "true"}}},
      {"polling by the other name", "GET", {{"Accept-Retry-After", "True"}}},
      {"HEAD", "HEAD", {}},
  };
  std::promise<void> open;
  gate_ = open.get_future().share();
  for (const Row& r : rows) {
    const http::Response response = ask(std::string(r.method), kThere, r.headers);
    EXPECT_EQ(response.status, 404u) << r.why;
    EXPECT_EQ(response.header("Retry-After"), "1") << r.why;
    EXPECT_EQ(response.header("Cache-Control"), "no-store") << r.why;
  }
  open.set_value();
  EXPECT_EQ(ask("GET", kThere).status, 200u) << "without the header it is waited for";
  EXPECT_EQ(ask("GET", kThere, {{"Allow-Retry-After", "true"}}).status, 200u);
}

TEST_F(Routes, ThePageNamesTheServerAndRepeatsNothingHostile) {
  const auto page = [&](std::string host) {
    return std::get<std::string>(ask("GET", "/", {{"Host", std::move(host)}}).body);
  };
  EXPECT_THAT(page("sym.example:3021"), HasSubstr("http://sym.example:3021/open/v2.1.0/"));
  EXPECT_THAT(page("<script>"), Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace symcached::api
