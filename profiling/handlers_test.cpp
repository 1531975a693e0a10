#include "profiling/handlers.hpp"

#include <gmock/gmock.h>

#include "testing/pprof/fake_sources.hpp"

namespace symcached::pprof {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

PageResponse ask(FakeSources& fake, PageRequest request, std::string token = {}) {
  return Handlers(fake.sources(), std::move(token)).handle(request);
}

TEST(Pages, EachPathHasItsForm) {
  struct Row {
    const char *target, *type, *starts;
  };
  const std::string zero(8, '\0');
  const Row rows[] = {
      {"/", "text/html; charset=utf-8", "<!DOCTYPE html>"},
      {"/debug/pprof", "text/html; charset=utf-8", "<!DOCTYPE html>"},
      {"/debug/pprof/", "text/html; charset=utf-8", "<!DOCTYPE html>"},
      {"/pprof/", "text/html; charset=utf-8", "<!DOCTYPE html>"},
      {"/?seconds=1", "application/octet-stream", "\x1f\x8b"},  // what newer pprofs ask of a bare host:port
      {"/debug/pprof/profile", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/heap", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/heap?gc=1", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/mutex?seconds=2", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/block", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/threads", "application/octet-stream", "\x1f\x8b"},
      {"/debug/pprof/heap?debug=1", "text/plain; charset=utf-8", "3 objects in use, 30000000 bytes in 1 stacks"},
      {"/pprof/heap", "application/octet-stream", "heap profile:"},
      {"/pprof/contention", "application/octet-stream", "--- contentionz 1 ---\n"},
      {"/pprof/threads", "text/plain; charset=utf-8", "3 threads in 1 stacks"},
      {"/pprof/pmuprofile?list=1", "text/plain; charset=utf-8", "cpu-clock\npage-faults\n"},
      {"/pprof/symbol", "text/plain; charset=utf-8", "num_symbols: 3\n"},
      {"/pprof/symbol?0x1100+2000", "text/plain; charset=utf-8",
       "num_symbols: 3\n0x1100\t_ZN2ns5outerEv\n0x2000\tmain\n"},
      {"/debug/pprof/symbol?0x1100&demangle=1", "text/plain; charset=utf-8", "num_symbols: 3\n0x1100\tns::outer()\n"},
      {"http://host:1/pprof/heap", "application/octet-stream", "heap profile:"},
  };
  for (const Row& r : rows) {
    FakeSources fake;
    const PageResponse page = ask(fake, {.target = r.target});
    EXPECT_EQ(page.status, 200) << r.target << page.body;
    EXPECT_EQ(page.header("Content-Type"), r.type) << r.target;
    EXPECT_THAT(page.body, StartsWith(r.starts)) << r.target;
    EXPECT_EQ(page.header("Cache-Control"), "no-store") << r.target;
    EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff") << r.target;
  }
}

TEST(Pages, RefusalsAreWhatBothClientsShow) {  // T1, T3
  struct Row {
    const char *method, *target;
    int status;
    const char* says;
  };
  const Row rows[] = {
      {"GET", "/pprof/profile?seconds=5/pprof/symbol", 400, "%warn seconds: \"5/pprof/symbol\" is not a whole number"},
      {"GET", "/pprof/profile?seconds=0", 400, "%warn seconds: \"0\" is not a whole number of 1 to 3600\n"},
      {"GET", "/pprof/profile?seconds=-1", 400, "%warn seconds"},
      {"GET", "/pprof/profile?seconds=1.5", 400, "%warn seconds"},
      {"GET", "/pprof/profile?seconds=", 400, "%warn seconds"},
      {"GET", "/pprof/profile?seconds=99999999999999999999", 400, "%warn seconds"},
      {"GET", "/pprof/profile?frequency=4001", 400, "%warn frequency"},
      {"GET", "/pprof/profile?second=5", 400, "\"second\" is no parameter here; this page has: seconds, frequency"},
      {"GET", "/pprof/heap?gc=1/pprof/symbol", 400, "%warn gc"},
      {"GET", "/pprof/heap?seconds=1", 400, "\"seconds\" is no parameter here"},
      {"GET", "/pprof/heap?debug=3", 400, "%warn debug"},
      {"GET", "/pprof/pmuprofile", 400, "%warn event: none given; write ?event=cpu-clock"},
      {"GET", "/pprof/pmuprofile?event=a&period=0", 400, "%warn period"},
      {"GET", "/pprof/pmuprofile?event=%01", 400, "%warn event: \"?\" is no name"},
      {"GET", "/pprof/profile?a=%1", 400, "%warn a '%' in the query"},
      {"GET", "/pprof/symbol?inlines=2", 400, "%warn inlines"},
      {"GET", "/debug/pprof/allocs", 501,
       "%warn the allocator of this program keeps no account of memory that was freed"},
      {"GET", "/pprof/growth", 501, "%warn no account\n%warn of memory\n"},
      {"GET", "/nothing", 404, "%warn no such page"},
      {"GET", "/pprof/heap/", 404, "%warn no such page"},
      {"GET", "", 404, "%warn no such page"},
      {"POST", "/pprof/profile", 405, "%warn this page takes GET, HEAD only\n"},
      {"DELETE", "/pprof/symbol", 405, "%warn this page takes GET, HEAD, POST only\n"},
      {"", "/pprof/symbol", 405, "%warn"},
      {"HEA", "/pprof/symbol", 405, "%warn"},
      {"GET, HEAD", "/pprof/heap", 405, "%warn"},
  };
  for (const Row& r : rows) {
    FakeSources fake;
    const PageResponse page = ask(fake, {.method = r.method, .target = r.target});
    EXPECT_EQ(page.status, r.status) << r.target;
    EXPECT_THAT(page.body, HasSubstr(r.says)) << r.target;
    EXPECT_THAT(page.body, StartsWith("%warn ")) << r.target;
    EXPECT_EQ(page.header("X-Go-Pprof"), "1");
    EXPECT_THAT(page.header("Content-Type"), StartsWith("text/plain"));
    EXPECT_EQ(page.header("Allow").empty(), r.status != 405);
  }
}

TEST(Pages, ParametersReachTheSamplers) {  // T2: of several the smallest
  FakeSources fake;
  EXPECT_EQ(ask(fake, {.target = "/pprof/profile"}).status, 200);
  EXPECT_EQ(fake.cpu_options.duration, std::chrono::seconds(30));
  EXPECT_EQ(fake.cpu_options.frequency, 100u);
  EXPECT_EQ(ask(fake, {.target = "/pprof/profile?seconds=7&frequency=250"}).status, 200);
  EXPECT_EQ(fake.cpu_options.duration, std::chrono::seconds(7));
  EXPECT_EQ(fake.cpu_options.frequency, 250u);
  const char* const pmu = "/pprof/pmuprofile?event=ls_dispatch%3A0x7&period=1000&seconds=2&seconds=30";
  EXPECT_EQ(ask(fake, {.target = pmu}).status, 200);
  EXPECT_EQ(fake.pmu_options.event, "ls_dispatch:0x7");
  EXPECT_EQ(fake.pmu_options.period, 1000u);
  EXPECT_EQ(fake.pmu_options.duration, std::chrono::seconds(2));
  EXPECT_EQ(ask(fake, {.target = "/pprof/contention?seconds=30&seconds=4&seconds=0"}).status, 200);
  EXPECT_EQ(fake.asked, std::chrono::seconds(4));
}

TEST(Pages, AllocsWhereTheyAreKnown) {
  FakeSources fake;
  fake.profile.samples.front().allocated_bytes = 1;
  EXPECT_EQ(ask(fake, {.target = "/debug/pprof/allocs"}).status, 200);
}

TEST(Pages, AcceptAsksForProto) {
  FakeSources fake;
  const PageResponse page = ask(fake, {.target = "/pprof/heap", .accept = "application/vnd.google.protobuf+gzip"});
  EXPECT_THAT(page.body, StartsWith("\x1f\x8b"));
}

TEST(Pages, HeadSamplesNothing) {
  FakeSources fake;
  const PageResponse page = ask(fake, {.method = "HEAD", .target = "/pprof/profile?seconds=9"});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "");
  EXPECT_NE(fake.cpu_options.duration, std::chrono::seconds(9));
  EXPECT_EQ(ask(fake, {.method = "HEAD", .target = "/pprof/symbol"}).status, 200);
  EXPECT_EQ(ask(fake, {.method = "HEAD", .target = "/pprof/profile?seconds=x"}).status, 400);
}

TEST(Pages, TokenInEitherHeader) {
  struct Row {
    const char* authorization;
    int status;
  };
  const Row rows[] = {
      {"", 401},
      {"Bearer secret", 200},
      {"bearer  secret", 200},
      {"Bearer secre", 401},
      {"Bearer secrett", 401},
      {"Bearer secretsecret", 401},
      {"Bearer ", 401},
      {"Bearer", 401},
      {"Basic YW55OnNlY3JldA==", 200},  // any:secret
      {"Basic OnNlY3JldA", 200},        // :secret
      {"Basic c2VjcmV0", 401},          // secret, with no colon
      {"Basic !", 401},
      {"Digest secret", 401},
  };
  for (const Row& r : rows) {
    FakeSources fake;
    const PageResponse page = ask(fake, {.target = "/pprof/cmdline", .authorization = r.authorization}, "secret");
    EXPECT_EQ(page.status, r.status) << r.authorization;
    EXPECT_EQ(page.header("WWW-Authenticate").empty(), r.status == 200);
  }
  FakeSources fake;
  EXPECT_EQ(ask(fake, {.target = "/nothing"}, "secret").status, 401);  // who has no token is not told what there is
}

TEST(Pages, CmdlineInBothForms) {
  FakeSources fake;
  const PageResponse lines = ask(fake, {.target = "/pprof/cmdline"});
  EXPECT_THAT(lines.body, HasSubstr("profiling_test"));
  EXPECT_EQ(lines.body.back(), '\n');
  EXPECT_EQ(lines.body.find('\0'), std::string::npos);
  const PageResponse go = ask(fake, {.target = "/debug/pprof/cmdline"});
  EXPECT_NE(go.body.back(), '\0');
}

TEST(Pages, SymbolsOfPost) {  // T15, T16, T17, T18
  struct Row {
    const char *target, *body, *want;
  };
  const Row rows[] = {
      {"/pprof/symbol", "0x0000000000001100+0x0000000000002000", "0x1100\t_ZN2ns5outerEv\n0x2000\tmain\n"},
      {"/pprof/symbol", "0x1fff", "0x1fff\tmain\n"},
      {"/pprof/symbol", "0x1ffe", ""},
      {"/symbolz", "\"0X2000\"", "0x2000\tmain\n"},
      {"/pprof/symbolz", "2000%2B1100", "0x2000\tmain\n0x1100\t_ZN2ns5outerEv\n"},
      {"/pprof/symbol", "0x2000,0x2000\r\nxyz 0x0 0xfffffffffffffffff", "0x2000\tmain\n0x2000\tmain\n"},
      {"/pprof/symbol?inlines=1", "0x1100", "0x1100\t_ZN2ns5outerEv--inner\n"},
      {"/pprof/symbol?inlines=1&demangle=1", "0x1100", "0x1100\tns::outer()--inner\n"},
      {"/pprof/symbol", "", ""},
  };
  for (const Row& r : rows) {
    FakeSources fake;
    const PageResponse page = ask(fake, {.method = "POST", .target = r.target, .body = r.body});
    EXPECT_EQ(page.status, 200) << page.body;
    EXPECT_EQ(page.body, r.want) << r.body;
  }
}

TEST(Pages, StopEndsWaitsAndBatches) {
  FakeSources fake;
  std::stop_source stopped;
  stopped.request_stop();
  const PageResponse symbols =
      ask(fake, {.method = "POST", .target = "/pprof/symbol", .body = "0x1100", .stop = stopped.get_token()});
  EXPECT_EQ(symbols.status, 503);
  const PageResponse heap = ask(fake, {.target = "/debug/pprof/heap?seconds=3600", .stop = stopped.get_token()});
  EXPECT_EQ(heap.status, 200);
}

TEST(Pages, ExceptionsBecomeAnswers) {
  FakeSources fake;
  Sources sources = fake.sources();
  sources.heap = []() -> Answer<Profile> { throw std::bad_alloc(); };
  sources.threads = []() -> Answer<Profile> { throw 1; };
  const Handlers handlers(sources);
  EXPECT_EQ(handlers.handle({.target = "/pprof/heap"}).status, 503);
  EXPECT_EQ(handlers.handle({.target = "/pprof/threads"}).status, 503);
}

TEST(Pages, IsPage) {
  EXPECT_TRUE(Handlers::is_page("/pprof/heap?x"));
  EXPECT_TRUE(Handlers::is_page("/debug/pprof"));
  EXPECT_FALSE(Handlers::is_page("/metrics"));
}

}  // namespace
}  // namespace symcached::pprof
