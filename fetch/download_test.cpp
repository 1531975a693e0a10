#include "fetch/download.hpp"

#include <gmock/gmock.h>

#include <ctime>

#include "net/run_task.hpp"
#include "testing/packed/files.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/server/faulty_upstream.hpp"
#include "testing/server/fixed_endpoint.hpp"

namespace symcached::fetch {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using End = HttpResult::End;
using Fault = FaultyUpstream::Fault;

std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) text += "line " + std::to_string(i) + "\n";
  text.resize(size);
  return text;
}

struct Got {
  Downloaded done;
  std::string content;
  int starts = 0;
};

class Download : public ::testing::Test {
 protected:
  static Limits limits() {
    Limits limits;
    limits.max_download = 4 << 20;
    limits.silence_s = 1;
    limits.connect_timeout_ms = 2000;
    limits.max_redirects = 3;
    return limits;
  }
  /// @param begun  bytes that came in another run, with the ETag "one"; 0: none
  Got get(Downloader& downloader, std::string_view begun = {}, std::size_t total = 0) {
    Got got{.content = std::string(begun)};
    OpenSink open = [&got](const HttpHead&) -> std::expected<ByteSink, std::string> {
      got.content.clear();
      ++got.starts;
      return ByteSink([&got](Bytes piece) -> std::expected<void, std::string> {
        got.content += as_text(piece);
        return {};
      });
    };
    std::optional<BegunDownload> before;
    if (!begun.empty()) {
      before.emplace(HttpHead{.status = 200}, begun.size(), [&got](Bytes piece) -> std::expected<void, std::string> {
        got.content += as_text(piece);
        return {};
      });
      before->head.etag = "\"one\"";
      before->head.length = std::to_string(total);
    }
    got.done = run_task(downloader.get("file", {}, std::move(open), {}, std::move(before)));
    return got;
  }
  Got get(const std::string& url, const sources::NetworkRules& network = {}, DownloadRules rules = {}) {
    FixedEndpoint endpoint(url);
    Downloader downloader(client_, hosts_, endpoint, network, rules, time_.waits());
    return get(downloader);
  }

  FakeTime time_;
  HttpClient client_{limits(), "Test/1"};
  HostHealth hosts_{{}, [now = time_.now] { return *now; }};
};

TEST_F(Download, GoesOnWithWhatAnotherRunHasLeft) {
  const std::string file = sample(300'000), other = sample(299'000);
  struct Row {
    std::string_view why;
    std::vector<Fault> faults;
    std::size_t total;
    bool is_other;
    int starts;
    unsigned requests;
  };
  const Row rows[] = {
      {"the same file", {}, 300'000, false, 0, 1},
      {"cut again", {{.close_at = 50'000}, {.close_at = 50'000}}, 300'000, false, 0, 3},
      {"another one", std::vector<Fault>(9, {.etag = "\"two\"", .content = other}), 300'000, true, 1, 1},
      {"of another size than was announced", {}, 310'000, false, 1, 2},
      {"no ranges", {{.ignore_range = true}}, 300'000, false, 1, 1},
      {"a shorter one", {{.status = 416}}, 300'000, false, 1, 2},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream(file, r.faults);
    FixedEndpoint endpoint(upstream.url());
    Downloader downloader(client_, hosts_, endpoint, {}, {}, time_.waits());
    const Got got = get(downloader, std::string_view(file).substr(0, 100'000), r.total);
    EXPECT_TRUE(got.done.complete()) << r.why << ": " << got.done.result.error;
    EXPECT_TRUE(got.content == (r.is_other ? other : file)) << r.why;
    EXPECT_EQ(got.starts, r.starts) << r.why;
    EXPECT_EQ(got.done.requests, r.requests) << r.why;
    EXPECT_EQ(upstream.values("Range").front(), "bytes=100000-") << r.why;
  }
}

TEST_F(Download, OutlivesWhatServersDoWrong) {
  const std::string file = sample(300'000), other = sample(299'000);
  struct Row {
    std::string_view why;
    std::vector<Fault> faults;
    End end;
    unsigned status;
    std::size_t requests;
    int starts;
  };
  const Row rows[] = {
      {"nothing wrong", {}, End::answered, 200, 1, 1},
      {"reset before the head", {{.reset_before_head = true}}, End::answered, 200, 2, 1},
      {"reset in the body: goes on where it was", {{.reset_at = 100'000}}, End::answered, 200, 2, 1},
      {"closed in the body, twice", {{.close_at = 100'000}, {.close_at = 50'000}}, End::answered, 200, 3, 1},
      {"resumed with the whole file", {{.reset_at = 1000}, {.ignore_range = true}}, End::answered, 200, 2, 2},
      {"changed in between, as If-Range shows",
       {{.close_at = 1000}, {.etag = "\"two\""}, {.etag = "\"two\""}},
       End::answered,
       200,
       2,
       2},
      {"a 206 that lies about its place", {{.close_at = 1000}, {.range_moved_by = 7}}, End::answered, 200, 3, 2},
      {"a 206 of a file of another size", {{.close_at = 1000}, {.content = other}}, End::answered, 200, 3, 2},
      {"a weak ETag resumes nothing", {{.close_at = 1000, .etag = "W/\"w\""}}, End::answered, 200, 2, 2},
      {"Content-Length says too much", {{.length = 300'001}}, End::answered, 200, 3, 2},
      {"503 once", {{.status = 503}}, End::answered, 200, 2, 1},
      {"429 that says when", {{.status = 429, .headers = {"Retry-After: 2"}}}, End::answered, 200, 2, 1},
      {"429 that does not say when", {{.status = 429}}, End::answered, 429, 1, 0},
      {"503 that says much later", {{.status = 503, .headers = {"Retry-After: 600"}}}, End::answered, 503, 1, 0},
      {"500 for ever", std::vector<Fault>(9, {.status = 500}), End::answered, 500, 3, 0},
      {"404", {{.status = 404}}, End::answered, 404, 1, 0},
      {"403", {{.status = 403}}, End::answered, 403, 1, 0},
      {"400", {{.status = 400}}, End::answered, 400, 1, 0},
      {"501 gets no better", {{.status = 501}}, End::answered, 501, 1, 0},
      {"silent in the body", {{.silent_at = 1000}}, End::too_slow, 200, 1, 1},
      {"cut for ever", std::vector<Fault>(9, {.close_at = 100}), End::cut_short, 206, 3, 1},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream(file, r.faults);
    const Got got = get(upstream.url());
    EXPECT_EQ(got.done.result.end, r.end) << r.why << ": " << got.done.result.error;
    EXPECT_EQ(got.done.result.head.status, r.status) << r.why;
    EXPECT_EQ(got.done.requests, r.requests) << r.why;
    EXPECT_EQ(upstream.requests(), r.requests) << r.why;
    EXPECT_EQ(got.starts, r.starts) << r.why;
    EXPECT_EQ(got.done.complete(), got.content == file) << r.why;
  }
}

TEST_F(Download, AsksForTheRestOfTheSameFile) {
  FaultyUpstream upstream(sample(5000), {{.reset_at = 1200}, {.reset_at = 800}});
  EXPECT_TRUE(get(upstream.url()).done.complete());
  EXPECT_THAT(upstream.values("Range"), ElementsAre("-", "bytes=1200-", "bytes=2000-"));
  EXPECT_THAT(upstream.values("If-Range"), ElementsAre("-", "\"one\"", "\"one\""));
  EXPECT_THAT(upstream.values("X-Attempt"), ElementsAre("1", "2", "3"));  // signed anew
  EXPECT_THAT(upstream.values("Accept-Encoding"), ElementsAre("gzip", "identity", "identity"));
}

TEST_F(Download, WaitsLongerEachTimeAndAsLongAsItIsTold) {
  FaultyUpstream failing("x", std::vector<Fault>(4, {.status = 502}));
  get(failing.url());
  ASSERT_EQ(time_.slept->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE((*time_.slept)[i], 100ms * (1 << i));
    EXPECT_LE((*time_.slept)[i], 200ms * (1 << i));
  }
  time_.slept->clear();
  FaultyUpstream busy("x", {{.status = 503, .headers = {"Retry-After: 2"}}});
  EXPECT_TRUE(get(busy.url()).done.complete());
  EXPECT_THAT(*time_.slept, ElementsAre(2000ms));
}

TEST_F(Download, AHostThatAsksForAPauseGetsIt) {
  FaultyUpstream upstream("x", {{.status = 429, .headers = {"Retry-After: 60"}}});
  const std::string host = upstream.url().substr(7);
  EXPECT_EQ(get(upstream.url()).done.result.head.retry_after, 60s);
  EXPECT_EQ(hosts_.pause(host), 60s);
  *time_.now += 10s;
  const Got refused = get(upstream.url());
  EXPECT_EQ(refused.done.result.end, End::left_alone);
  EXPECT_EQ(refused.done.result.left_alone_for, 50s);
  EXPECT_EQ(refused.done.requests, 0u);
  EXPECT_EQ(upstream.requests(), 1u);
  *time_.now += 50s;
  EXPECT_EQ(hosts_.pause(host), std::nullopt);
  EXPECT_TRUE(get(upstream.url()).done.complete());
}

TEST_F(Download, AHostThatKeepsFailingIsLeftAlone) {
  FaultyUpstream upstream("x", std::vector<Fault>(6, {.status = 500}));
  EXPECT_EQ(get(upstream.url()).done.requests, 3u);
  const Got second = get(upstream.url());
  EXPECT_EQ(second.done.requests, 2u);  // up to the fifth failure
  EXPECT_EQ(second.done.result.head.status, 500u);
  EXPECT_EQ(get(upstream.url()).done.result.end, End::left_alone);
  *time_.now += 10s;
  EXPECT_EQ(get(upstream.url()).done.requests, 1u);  // the probe
  EXPECT_EQ(hosts_.pause(upstream.url().substr(7)), 20s);
  *time_.now += 20s;
  EXPECT_TRUE(get(upstream.url()).done.complete());
}

TEST_F(Download, DigestsAreCompared) {
  const std::string right = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=";  // of "hello world"
  const std::string md5 = "XrY7u+Ae7tCTyyK7j1rNww==", wrong_md5 = "XrY7u+Ae7tCTyyK7j1rNwA==";
  struct Row {
    std::string_view why;
    std::string header;
    bool good;
  };
  const Row rows[] = {
      {"RFC 9530", "Repr-Digest: sha-512=:AAAA:, sha-256=:" + right + ":", true},
      {"RFC 9530, wrong", "Repr-Digest: sha-256=:" + std::string(43, 'A') + "=:", false},
      {"RFC 3230", "Digest: SHA-256=" + right, true},
      {"S3", "x-amz-checksum-sha256: " + right, true},
      {"S3, wrong", "x-amz-checksum-sha256: " + std::string(43, 'A') + "=", false},
      {"S3, of parts", "x-amz-checksum-sha256: " + std::string(43, 'A') + "=-3", true},
      {"Content-MD5", "Content-MD5: " + md5, true},
      {"Content-MD5, wrong", "Content-MD5: " + wrong_md5, false},
      {"Cloud Storage", "x-goog-hash: crc32c=AAAAAA==,md5=" + wrong_md5, false},
      {"no base64", "Content-MD5: what?", true},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream("hello world", {}, {r.header});
    const Got got = get(upstream.url());
    EXPECT_EQ(got.done.complete(), r.good) << r.why;
    EXPECT_EQ(got.done.result.end, r.good ? End::answered : End::cut_short) << r.why;
    EXPECT_EQ(got.done.requests, r.good ? 1u : 3u) << r.why;
  }
}

TEST_F(Download, LargeFilesComeInParts) {
  const std::string file = sample(1'000'000);
  DownloadRules rules;
  rules.split_from = 500'000;
  rules.part = 100'000;
  struct Row {
    std::string_view why;
    std::vector<Fault> faults;
    std::size_t requests;
    int starts;
  };
  const std::vector<std::string> md5 = {"Content-MD5: " + std::string("AAAAAAAAAAAAAAAAAAAAAA==")};
  const Row rows[] = {
      {"the first, the one that shows, and eight", {}, 10, 1},
      {"one breaks off", {{}, {}, {.reset_at = 5000}}, 11, 1},
      {"no parts after all", {{}, {.ignore_range = true}}, 3, 2},
      {"another file from the second part on", std::vector<Fault>{{}, {.etag = "\"two\""}, {.etag = "\"two\""}}, 3, 2},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream(file, r.faults);
    const Got got = get(upstream.url(), {}, rules);
    EXPECT_TRUE(got.done.complete()) << r.why << ": " << got.done.result.error;
    EXPECT_TRUE(got.content == file) << r.why;
    EXPECT_EQ(got.done.requests, r.requests) << r.why;
    EXPECT_EQ(got.starts, r.starts) << r.why;
    EXPECT_EQ(got.done.result.head.length, "1000000") << r.why;
  }
  FaultyUpstream wrong(file, {}, md5);
  EXPECT_EQ(get(wrong.url(), {}, rules).done.result.end, End::cut_short);
  rules.max_split = 0;
  FaultyUpstream busy(file);
  const Got single = get(busy.url(), {}, rules);
  EXPECT_TRUE(single.content == file);
  EXPECT_EQ(single.done.requests, 2u) << "the rest in one piece";
}

TEST_F(Download, PeeksWithOneRequest) {
  struct Row {
    std::string_view why;
    std::vector<Fault> faults;
    unsigned status;
    std::string start;
  };
  const Row rows[] = {
      {"a part", {}, 206, "0123"},
      {"all of it, cut off", {{.ignore_range = true}}, 200, "0123"},
      {"an error is not repeated", {{.status = 503}}, 503, ""},
      {"not there", {{.status = 404}}, 404, ""},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream("0123" + sample(1'000'000), r.faults);
    FixedEndpoint endpoint(upstream.url());
    Downloader downloader(client_, hosts_, endpoint, {}, {}, time_.waits());
    const Peeked peeked = run_task(downloader.peek("file", {}, {0, 4}));
    EXPECT_EQ(peeked.result.head.status, r.status) << r.why;
    EXPECT_EQ(peeked.result.end, End::answered) << r.why << ": " << peeked.result.error;
    EXPECT_EQ(peeked.bytes, r.start) << r.why;
    EXPECT_EQ(upstream.requests(), 1u) << r.why;
  }
  FaultyUpstream liar("0123456", {{.range_moved_by = 1}});
  FixedEndpoint endpoint(liar.url());
  Downloader downloader(client_, hosts_, endpoint, {}, {}, time_.waits());
  EXPECT_EQ(run_task(downloader.peek("file", {}, {0, 4})).result.end, End::cut_short);
}

TEST_F(Download, TellsEndsApart) {
  FaultyUpstream late("x", {{.no_answer = true}});
  FaultyUpstream large(sample(5 << 20));
  FakeUpstream empty, loop, led;
  empty.put("/file", {200, {}, ""});
  loop.redirect("/file", "/file");
  led.redirect("/file", "ftp://example.com/");
  sources::NetworkRules hurried;
  hurried.head_timeout = 100ms;
  struct Row {
    std::string_view why;
    std::string url;
    sources::NetworkRules network;
    End end;
  };
  const Row rows[] = {
      {"no answer in time", late.url(), hurried, End::timed_out},
      {"too large", large.url(), {}, End::too_large},
      {"nobody there", "http://127.0.0.1:1", {}, End::no_connection},
      {"no such name", "http://no.such.host.invalid", {.proxy = ""}, End::no_host},
      {"not TLS", "https" + empty.url().substr(4), {}, End::tls_failed},
      {"round and round", loop.url(), {}, End::led_astray},
      {"nowhere", led.url(), {}, End::led_astray},
      {"empty", empty.url(), {}, End::answered},
  };
  for (const Row& r : rows) {
    const Got got = get(r.url, r.network, {.max_attempts = 1});
    EXPECT_EQ(got.done.result.end, r.end) << r.why << ": " << got.done.result.error;
    EXPECT_EQ(got.done.complete(), r.end == End::answered) << r.why;
    EXPECT_EQ(got.done.requests, 1u) << r.why;
  }
}

TEST_F(Download, ABombInTheTransferEncodingIsTooLarge) {
  const std::vector<std::byte> bomb = testkit::gzipped(as_bytes(std::string(8 << 20, '\0')));
  FaultyUpstream upstream(std::string(as_text(bomb)), {}, {"Content-Encoding: gzip"});
  EXPECT_EQ(get(upstream.url()).done.result.end, End::too_large);
}

TEST_F(Download, HeadersStayAtTheirOrigin) {
  FaultyUpstream other("x");
  FaultyUpstream first("", {{.status = 302, .headers = {"Location: " + other.url() + "/elsewhere"}}});
  Limits open_minded = limits();
  open_minded.private_redirects = true;
  HttpClient client(open_minded, "Test/1");
  FixedEndpoint endpoint(first.url());
  Downloader downloader(client, hosts_, endpoint, {}, {}, time_.waits());
  EXPECT_TRUE(get(downloader).done.complete());
  EXPECT_THAT(first.values("X-Attempt"), ElementsAre("1"));
  EXPECT_THAT(other.values("X-Attempt"), ElementsAre("-"));
}

TEST_F(Download, RetryAfterMayBeADate) {
  const std::time_t then = std::time(nullptr) + 1000;
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  char date[64];
  std::strftime(date, sizeof date, "Retry-After: %a, %d %b %Y %H:%M:%S GMT", &parts);
  FaultyUpstream upstream("x", {{.status = 503, .headers = {date}}});
  const auto pause = get(upstream.url()).done.result.head.retry_after;
  ASSERT_TRUE(pause);
  EXPECT_GT(*pause, 900s);
  EXPECT_LE(*pause, 1000s);
}

TEST_F(Download, RulesOfTheSourceAreKept) {
  FaultyUpstream upstream("0123456789");
  sources::NetworkRules rules;
  rules.user_agent = "Another/2";
  rules.max_download_size = 9;
  EXPECT_EQ(get(upstream.url(), rules).done.result.end, End::too_large);
  EXPECT_THAT(upstream.values("User-Agent"), ElementsAre("Another/2"));
  FaultyUpstream proxy("by proxy");
  rules.proxy = proxy.url();
  EXPECT_EQ(get("http://symbols.invalid", rules).content, "by proxy");
}

TEST_F(Download, KeepsToItsPace) {
  FakeUpstream upstream;
  upstream.put("/file", {200, {}, "x"});
  FixedEndpoint endpoint(upstream.url());
  sources::NetworkRules slowly;
  slowly.requests_per_second = 4;
  Downloader downloader(client_, hosts_, endpoint, slowly, {}, time_.waits());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(get(downloader).done.complete());
  EXPECT_THAT(*time_.slept, ElementsAre(250ms, 250ms));
}

TEST_F(Download, ErrorsKeepTheStartOfTheirBody) {
  FakeUpstream upstream;
  upstream.put("/file", {403, {}, "<Error><Code>AccessDenied</Code></Error>"});
  const Got got = get(upstream.url());
  EXPECT_TRUE(got.done.result.forbidden());
  EXPECT_THAT(got.done.result.other_body, HasSubstr("AccessDenied"));
}

TEST(ContentRange, IsParsedStrictly) {
  const auto range = ContentRange::parse("bytes 10-19/100");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 10u);
  EXPECT_EQ(range->last, 19u);
  EXPECT_EQ(range->total, 100u);
  EXPECT_TRUE(ContentRange::parse("bytes 0-0/*"));
  for (const char* text : {"", "bytes", "bytes 1-0/5", "bytes 0-5/5", "bytes 0-4/5x", "items 0-4/5", "bytes */5",
                           "bytes -4/5", "bytes 0-18446744073709551615/*", "bytes 0-4"})
    EXPECT_FALSE(ContentRange::parse(text)) << text;
}

}  // namespace
}  // namespace symcached::fetch
