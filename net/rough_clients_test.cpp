#include <random>

#include "net/send.hpp"
#include "testing/server/server_fixture.hpp"

namespace symcached::net {
namespace {

using RoughClients = ServerFixture;

TEST_F(RoughClients, MalformedRequests) {
  const std::string_view seeds[] = {
      "GET /x HTTP/1.1\r\nHost: t\r\nAccept: */*\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello",
      "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HEAD /big HTTP/1.0\r\nRange: bytes=0-9\r\nExpect: 100-continue\r\n\r\n",
  };
  std::mt19937 random(1);  // the same numbers everywhere
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int i = 0; i < 400; ++i) {
    std::string text(seeds[below(std::size(seeds))]);
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + below(8)); break;
        case 2: text.insert(at, 1 + below(300), static_cast<char>(random())); break;
        default: text.insert(at, text.substr(below(text.size()))); break;
      }
      if (text.empty()) text = "\r\n";
    }
    HttpPeer peer(port());
    peer.say(text);
    peer.half_close();
    peer.rest(kBig * 4);
    EXPECT_TRUE(peer.at_end()) << i;
    if (i % 20 == 0) expect_alive(std::to_string(i) + " malformed requests");
  }
  expect_unharmed("malformed requests");
}

TEST_F(RoughClients, BurstsOfRequestsCutShort) {
  std::string burst;
  for (int i = 0; i < 20; ++i)
    burst += "GET /" + std::string(i % 4 == 0 ? "big" : "x") + " HTTP/1.1\r\nHost: t\r\n\r\n";
  for (int i = 0; i < 100; ++i) {
    HttpPeer peer(port());
    peer.say(std::string_view(burst).substr(0, burst.size() - i * 5));
    if (i % 2 == 0) peer.hear(false);
    if (i % 3 == 0) peer.half_close();
    else if (i % 3 == 1) peer.reset();
  }
  expect_unharmed("bursts");
}

TEST_F(RoughClients, ABurstIsAnsweredInFull) {
  std::string burst;
  for (int i = 0; i < 1000; ++i) burst += "GET /small HTTP/1.1\r\nHost: t\r\n\r\n";
  HttpPeer peer(port());
  peer.say(burst);
  peer.half_close();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(peer.hear().body.size(), kSmall) << i;
  EXPECT_TRUE(peer.at_end());
}

TEST_F(RoughClients, ResetsWhileABodyIsSent) {
  for (const std::string_view target : {"/small", "/big"})
    for (const bool heard : {false, true})
      for (int i = 0; i < 75; ++i) {
        HttpPeer peer(port());
        peer.ask("GET", target);
        if (heard) peer.hear(false);
        peer.reset();
      }
  expect_unharmed("resets");
}

TEST_F(RoughClients, ResetsAtEveryByteOfARequest) {
  const std::string request = "POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello";
  for (std::size_t n = 0; n <= request.size(); ++n) {
    HttpPeer peer(port());
    peer.say(request.substr(0, n));
    peer.reset();
  }
  expect_unharmed("resets of requests");
}

TEST_F(RoughClients, ThoseWhoDoNotReadStallNobody) {
  std::vector<HttpPeer> peers;
  for (int i = 0; i < 100; ++i) {
    peers.emplace_back(4096).connect(port());
    peers.back().ask("GET", "/big");
    peers.back().ask("GET", "/big");
  }
  for (HttpPeer& peer : peers) EXPECT_EQ(peer.hear(false).status, 200u);
  expect_alive("100 clients that do not read");
  peers.clear();
  expect_unharmed("100 clients that do not read");
}

TEST_F(RoughClients, OneWhoHungUpEndsTheWaitOfItsRequest) {
  HttpPeer half(port());
  half.ask("GET", "/hold");
  HttpPeer closed(port());
  closed.ask("GET", "/hold");
  HttpPeer broken(port());
  broken.ask("GET", "/hold");
  HttpPeer patient(port());
  patient.ask("GET", "/hold");
  EXPECT_TRUE(eventually([&] { return held_ == 4; }));
  half.half_close();
  closed.close();
  broken.reset();
  EXPECT_EQ(half.hear().body, "GET /hold\n");
  EXPECT_TRUE(half.at_end());
  half.close();
  EXPECT_TRUE(eventually([&] { return released_ == 3; }));
  EXPECT_EQ(server_->stats().hung_up, 3u);
  EXPECT_TRUE(eventually([&] { return server_->stats().requests_in_flight == 1; }));
  patient.close();
  expect_unharmed("clients that hung up");
  EXPECT_EQ(released_, 4);
}

class SlowClients : public ServerFixture {
  void SetUp() override {}

 protected:
  static ServerOptions patient() {
    ServerOptions options = quick();
    options.idle_timeout = options.head_timeout = options.write_timeout = std::chrono::hours(1);
    options.body_grace = options.send_grace = std::chrono::hours(1);
    return options;
  }
};

TEST_F(SlowClients, EachTimeOutEndsItsKind) {
  constexpr std::chrono::milliseconds kShort(50);
  struct Row {
    std::string_view why;
    std::chrono::milliseconds ServerOptions::* timeout;
    std::string_view says;
  };
  const Row rows[] = {
      {"says nothing", &ServerOptions::idle_timeout, ""},
      {"half a head", &ServerOptions::head_timeout, "GET / HT"},
      {"half a body", &ServerOptions::body_grace, "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf"},
      {"half a chunk", &ServerOptions::body_grace,
       "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"},
      {"does not read", &ServerOptions::write_timeout, "GET /big HTTP/1.1\r\nHost: t\r\n\r\n"},
      {"reads too slowly", &ServerOptions::send_grace, "GET /big HTTP/1.1\r\nHost: t\r\n\r\n"},
  };
  for (const Row& r : rows) {
    ServerOptions options = patient();
    options.*r.timeout = kShort;
    options.min_send_rate = 1 << 30;
    serve(options);
    HttpPeer peer(port());
    peer.say(r.says);
    EXPECT_TRUE(eventually([&] { return server_->stats().connections_accepted == 1; })) << r.why;
    EXPECT_TRUE(eventually([&] { return server_->stats().connections_open == 0; })) << r.why;
    EXPECT_EQ(server_->stats().timed_out, r.says.empty() ? 0u : 1u) << r.why;
    EXPECT_LT(peer.rest(kBig).size(), kBig) << r.why;
    EXPECT_TRUE(peer.at_end()) << r.why;
  }
}

/// The rate counts from the end of the head and is an average, so what came fast at first may be followed slowly.
TEST(Rates, AreAveragesAfterAGrace) {
  const Clock::time_point start{};
  struct Row {
    std::uint64_t bytes;
    std::uint64_t rate;
    std::chrono::seconds want;
  };
  constexpr std::chrono::seconds kYear(365 * 24 * 3600);
  for (const Row& r : {Row{0, 1000, std::chrono::seconds(10)}, Row{999, 1000, std::chrono::seconds(10)},
                       Row{5000, 1000, std::chrono::seconds(15)}, Row{~0ull, 1, std::chrono::seconds(10) + kYear}})
    EXPECT_EQ(too_slow_at(start, std::chrono::seconds(10), r.bytes, r.rate) - start, r.want) << r.bytes;
  EXPECT_EQ(too_slow_at(start, std::chrono::seconds(10), 0, 0), Clock::time_point::max());
}

TEST_F(SlowClients, AFewBytesAtATimeAreTaken) {
  ServerOptions options = patient();
  serve(options);
  HttpPeer peer(port());
  const std::string text = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 40\r\n\r\n" + std::string(40, 'b');
  for (const char c : text) peer.say(std::string_view(&c, 1));
  EXPECT_EQ(peer.hear().body, std::string(40, 'b') + "\n");
}

}  // namespace
}  // namespace symcached::net
