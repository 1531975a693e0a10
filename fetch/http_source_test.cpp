#include <gmock/gmock.h>

#include "fetch/identity.hpp"
#include "fetch/plain_endpoint.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/server/process.hpp"
#include "testing/server/raw_upstream.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class UpstreamTest : public SourceTest {};

TEST_F(UpstreamTest, ABodyCutShortIsNotWhole) {
  const std::string pdb = fake_pdb(std::string(1000, 'x'));
  const std::string head = "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n";
  const std::string sized = head + "Content-Length: " + std::to_string(pdb.size()) + "\r\n\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  constexpr std::string_view kChunk = "20\r\nMicrosoft C/C++ MSF 7.00\r\n\x1a\x44\x53";
  struct Row {
    std::string_view why;
    std::string said;
    bool reset;
    std::string want;
  };
  const Row rows[] = {
      {"whole", sized + pdb, false, "found " + pdb},
      {"before the body", sized, false, "not whole"},
      {"before the body, reset", sized, true, "not whole"},
      {"after a byte", sized + pdb.substr(0, 1), false, "not whole"},
      {"in the middle", sized + pdb.substr(0, 500), false, "not whole"},
      {"in the middle, reset", sized + pdb.substr(0, 500), true, "not whole"},
      {"before the last byte", sized + pdb.substr(0, pdb.size() - 1), false, "not whole"},
      {"before the first chunk", chunked, false, "not whole"},
      {"in a chunk's size", chunked + "2", false, "not whole"},
      {"in a chunk", chunked + std::string(kChunk), false, "not whole"},
      {"in a chunk, reset", chunked + std::string(kChunk), true, "not whole"},
      {"before the last chunk", chunked + "3\r\nMic\r\n", false, "not whole"},
      {"in the last chunk", chunked + "3\r\nMic\r\n0\r\n", false, "not whole"},
      {"of no length, up to the end", head + "\r\n" + pdb, false, "found " + pdb},
      {"of no length, reset", head + "\r\n" + pdb, true, "not whole"},
      {"empty", head + "Content-Length: 0\r\n\r\n", false, "not whole"},
      {"between headers, which libcurl takes for their end", head, false, "not whole"},
      {"in the status line", "HTTP/1.", false, "transient"},
      {"before the head", "", false, "transient"},
      {"before the head, reset", "", true, "transient"},
  };
  for (const Row& r : rows) {
    RawUpstream upstream([&](RawPeer& peer, const std::string& asked) {
      if (asked.find("/Crash.pdb ") == std::string::npos)
        return peer.say("HTTP/1.1 404 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") && false;
      peer.say(r.said);
      if (r.reset) {
        peer.drain();
        peer.reset();
      }
      return false;
    });
    const auto asked = source(upstream.url());
    const Outcome outcome = run_task(asked->open(kWanted));
    EXPECT_THAT(describe(outcome), StartsWith(r.want)) << r.why;
    const auto* part = std::get_if<NotWhole>(&outcome);
    const bool is_identified = part != nullptr && part->identity.find("etag=\"e\"") != std::string::npos;
    EXPECT_EQ(is_identified, r.want == "not whole") << r.why;
    asked->forget(kWanted);
    EXPECT_EQ(left_over(), 0u) << r.why;
  }
}

TEST_F(UpstreamTest, AbsentNamesLeaveNoFileAtAnyMoment) {
  FakeUpstream upstream;
  upstream.redirect("/elsewhere", "/nowhere");
  std::atomic<std::size_t> most = 0;
  upstream.watch([&] { most = std::max(most.load(), left_over()); });
  const auto asked = source(upstream.url());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(describe(run_task(asked->open(wanted_pdb("absent" + std::to_string(i) + ".pdb")))), "not there");
  }
  for (const int status : {302, 403, 429, 500, 503}) {
    upstream.answer_all_with({static_cast<unsigned>(status), {{"Location", "/elsewhere"}}, "a body"});
    ASSERT_THAT(describe(run_task(asked->open(kWanted))), StartsWith("transient")) << status;
  }
  EXPECT_GE(upstream.asked().size(), 4000u);
  EXPECT_EQ(most, 0u);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(UpstreamTest, SaysWhenToRetry) {
  struct Row {
    unsigned status;
    std::string value;
    std::optional<std::chrono::seconds> want;
  };
  using std::chrono::seconds;
  const Row rows[] = {
      {429, "7", seconds(7)},      {503, "120", seconds(120)}, {503, "99999999999", kMaxRetryAfter},
      {503, "soon", std::nullopt}, {503, "-1", std::nullopt},  {500, "7", std::nullopt},
      {403, "7", std::nullopt},
  };
  for (const Row& r : rows) {
    FakeUpstream upstream;
    upstream.put("/index2.txt", http::text(404, "no"));
    upstream.answer_all_with({r.status, {{"Retry-After", r.value}}, "no"});
    const auto asked = source(upstream.url());
    const Outcome outcome = run_task(asked->open(kWanted));
    ASSERT_TRUE(std::holds_alternative<TransientError>(outcome)) << r.status;
    EXPECT_EQ(std::get<TransientError>(outcome).retry_after, r.want) << r.status << " " << r.value;
  }
}

TEST(PlainEndpoint, WhatWasRefusedToOneTicketMayBeGivenToTheNext) {
  sources::HttpPlace place;
  place.url = "http://host";
  const auto credentials = [&] { return (*PlainEndpoint::open(place))->credentials(); };
  EXPECT_EQ(credentials(), 0u);
  place.negotiate = true;
  EXPECT_NE(credentials(), credentials());
}

TEST_F(UpstreamTest, WithoutKnowingTheTiersNothingIsAbsent) {
  struct Row {
    unsigned status;
    std::string_view want;
  };
  for (const Row& r : {Row{400, "not there"},
                       {403, "not there"},
                       {408, "transient"},
                       {429, "transient"},
                       {500, "transient"},
                       {503, "transient"},
                       {203, "transient"}}) {
    FakeUpstream upstream;
    upstream.put("/index2.txt", http::text(r.status, "no"));
    const auto asked = source(upstream.url());
    EXPECT_THAT(describe(run_task(asked->open(kWanted))), StartsWith(r.want)) << r.status;
    upstream.put("/" + kPath, body(fake_pdb("x")));
    EXPECT_EQ(describe(run_task(asked->open(kWanted))), "found " + fake_pdb("x")) << r.status;
    asked->forget(kWanted);
  }
}

TEST_F(UpstreamTest, OtherBodiesAreCut) {
  std::atomic<std::size_t> said = 0;
  RawUpstream upstream([&](RawPeer& peer, const std::string&) {
    const std::string piece(64 << 10, 'x');
    peer.say("HTTP/1.1 404 no\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 16'384 && peer.say("10000\r\n" + piece + "\r\n"); ++i) said += piece.size();
    return false;
  });
  EXPECT_EQ(ask(upstream.url()), "not there");
  EXPECT_LT(said, std::size_t{200} << 20) << "of 7 GiB";
}

TEST_F(UpstreamTest, HeadersAreCut) {
  RawUpstream upstream([&](RawPeer& peer, const std::string&) {
    peer.say("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1'000'000 && peer.say("X-Again: " + std::string(1000, 'x') + "\r\n"); ++i) {
    }
    return false;
  });
  EXPECT_THAT(ask(upstream.url()), StartsWith("transient"));
}

TEST_F(UpstreamTest, OutOfDescriptorsSaysNothingAboutTheServer) {
  FakeUpstream upstream, other;
  const auto asked = source(other.url());
  EXPECT_EQ(describe(run_task(asked->open(kWanted))), "not there") << "the client runs";
  const auto not_yet_asked = source(upstream.url());
  {
    const NoDescriptors none;
    EXPECT_THAT(describe(run_task(not_yet_asked->open(kWanted))), StartsWith("exhausted"));
  }
  EXPECT_TRUE(upstream.asked().empty());
  EXPECT_EQ(describe(run_task(not_yet_asked->open(kWanted))), "not there");
}

TEST_F(UpstreamTest, ACacheThatCannotBeWrittenSaysNothingAboutTheServer) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, body(fake_pdb("x")));
  std::filesystem::remove_all(cache_.path());
  std::ofstream(cache_.path()) << "a file where the cache was";
  EXPECT_THAT(ask(upstream.url()), StartsWith("exhausted"));
}

http::Response with_identity(std::string content, std::string etag) {
  return {200, {{"ETag", std::move(etag)}, {"Last-Modified", "Tue, 15 Nov 2022 12:45:26 GMT"}}, std::move(content)};
}

TEST_F(UpstreamTest, TheIdentityFollowsTheHeaders) {
  FakeUpstream upstream;
  const auto asked = source(upstream.url());
  EXPECT_EQ(run_task(asked->identify(kWanted)), "") << "nothing there";
  upstream.redirect("/" + kPath, "/blob");
  upstream.put("/blob", with_identity(fake_pdb("x"), "\"one\""));
  const Outcome opened = run_task(asked->open(kWanted));
  ASSERT_TRUE(std::holds_alternative<Original>(opened));
  const std::string first = std::get<Original>(opened).identity;
  EXPECT_EQ(first, "length=33 etag=\"one\" last-modified=Tue,_15_Nov_2022_12:45:26_GMT");
  EXPECT_FALSE(is_changed(first, run_task(asked->identify(kWanted))));
  upstream.put("/blob", with_identity(fake_pdb("x"), "\"two\""));
  EXPECT_TRUE(is_changed(first, run_task(asked->identify(kWanted))));
  upstream.put("/blob", http::text(500, "no"));
  EXPECT_EQ(run_task(asked->identify(kWanted)), "") << "cannot be told";
}

TEST_F(UpstreamTest, WhatIsKeptKeepsItsIdentity) {
  const auto cabinet = make_cabinet(folder_, {fake_pdb("packed")});
  ASSERT_TRUE(cabinet) << "gcab is not installed";
  for (const std::string& content : {fake_pdb("x"), *cabinet}) {
    FakeUpstream upstream;
    upstream.put("/" + kPath, with_identity(content, "\"one\""));
    const auto asked = source(upstream.url());
    const Outcome fetched = run_task(asked->open(kWanted));
    upstream.put("/" + kPath, http::text(500, "no"));
    const Outcome kept = run_task(asked->open(kWanted));
    ASSERT_TRUE(std::holds_alternative<Original>(fetched)) << describe(fetched);
    ASSERT_TRUE(std::holds_alternative<Original>(kept)) << describe(kept);
    EXPECT_THAT(std::get<Original>(fetched).identity, HasSubstr("etag=\"one\""));
    EXPECT_EQ(std::get<Original>(kept).identity, std::get<Original>(fetched).identity);
    asked->forget(kWanted);
  }
}

TEST_F(UpstreamTest, IdentifyAsksWhereItWasRefusedFirst) {
  FakeUpstream upstream;
  const std::string lower = "/crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pdb";
  upstream.put(lower, with_identity("PK", "\"bad\""));
  const auto asked = source(upstream.url());
  const Outcome outcome = run_task(asked->open(kWanted));
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome)) << describe(outcome);
  const std::size_t before = upstream.asked().size();
  EXPECT_EQ(run_task(asked->identify(kWanted)), std::get<Refused>(outcome).identity);
  const auto all = upstream.asked();
  EXPECT_THAT(std::vector(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()), ElementsAre(lower));
}

TEST_F(UpstreamTest, TheIndexOfAStoreIsAShortcutAndNothingElse) {
  const std::string odd = "/crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pdb", usual = "/" + kPath;
  struct Row {
    std::string_view why, last_id, transaction, at;
    std::vector<std::string> first;  ///< asked for, 000Admin aside
  };
  const std::string listed = "\"crash.pdb\\3249d99d0c4049318610f4e4fb0b69361a\",\"C:\\crash.pdb\"\r\n";
  const Row rows[] = {
      {"listed in the spelling it has", "0000000001", listed, odd, {odd}},
      {"not listed", "0000000001", "\"other.pdb\\1\",\"x\"", usual, {usual}},
      {"listed, and gone from there", "0000000001", listed, usual, {odd}},
      {"no transactions", "", "", usual, {usual}},
      {"garbage", "<html>", "\"\"\"", usual, {usual}},
      {"a transaction too many", "0000000002", listed, odd, {odd}},
  };
  for (const Row& r : rows) {
    FakeUpstream upstream;
    if (!r.last_id.empty()) upstream.put("/000Admin/lastid.txt", body(std::string(r.last_id)));
    upstream.put("/000Admin/0000000001", body(std::string(r.transaction)));
    upstream.put(std::string(r.at), body(fake_pdb("x")));
    sources::SourceConfig config = config_of(upstream.url());
    config.has_index = true;
    const auto asked = std::move(*make_source(config, objects_, client_));
    EXPECT_EQ(describe(run_task(asked->open(kWanted))), "found " + fake_pdb("x")) << r.why;
    std::vector<std::string> files = upstream.asked();
    std::erase_if(files,
                  [](const std::string& path) { return path.starts_with("/000Admin") || path == "/index2.txt"; });
    files.resize(1);
    EXPECT_EQ(files, r.first) << r.why;
    const auto before = upstream.asked().size();
    asked->forget(kWanted);
    run_task(asked->open(kWanted));
    const auto all = upstream.asked();
    EXPECT_FALSE(std::any_of(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                             [](const std::string& path) { return path.starts_with("/000Admin"); }))
        << r.why << ": read once a day";
    *time_.now += std::chrono::hours(25);
    asked->forget(kWanted);
    run_task(asked->open(kWanted));
    const auto later = upstream.asked();
    EXPECT_EQ(std::ranges::count(later, "/000Admin/lastid.txt"), 2) << r.why;
    EXPECT_EQ(std::ranges::count(later, "/000Admin/0000000001"), r.last_id.starts_with('0') ? 1 : 0) << r.why;
    asked->forget(kWanted);
  }
}

TEST_F(UpstreamTest, EachSourceKeepsToItsOwnRules) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, body(fake_pdb(std::string(1000, 'x'))));
  sources::SourceConfig config = config_of(upstream.url());
  config.layout = sources::Layout::symstore;
  config.network = {.user_agent = "Own/3", .max_download_size = 100, .requests_per_second = 2};
  const auto strict = std::move(*make_source(config, objects_, client_));
  EXPECT_THAT(describe(run_task(strict->open(kWanted))), HasSubstr("larger than the limit of 100 bytes"));
  EXPECT_EQ(upstream.user_agent(), "Own/3");
  time_.slept->clear();
  run_task(strict->open(kWanted));
  EXPECT_FALSE(time_.slept->empty()) << "two requests a second";
  const auto usual = source(upstream.url());
  EXPECT_THAT(describe(run_task(usual->open(kWanted))), StartsWith("found"));
  EXPECT_EQ(upstream.user_agent(), "Test/1");
}

TEST_F(UpstreamTest, ProbingFirstAsksForOneSpelling) {
  FakeUpstream upstream;
  sources::SourceConfig config = config_of(upstream.url());
  config.layout = sources::Layout::symstore;
  config.probing = sources::Probing::first;
  const auto asked = std::move(*make_source(config, objects_, client_));
  EXPECT_EQ(describe(run_task(asked->open(kWanted))), "not there");
  EXPECT_THAT(upstream.asked(), ElementsAre("/" + kPath, "/" + kPackedPath));
}

}  // namespace
}  // namespace symcached::fetch
