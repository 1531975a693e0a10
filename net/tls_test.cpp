#include "net/tls.hpp"

#include <random>

#include "testing/server/certificate.hpp"
#include "testing/server/server_fixture.hpp"
#include "testing/server/tls_peer.hpp"

namespace symcached::net {
namespace {

using std::chrono::milliseconds;

class TlsServer : public ServerFixture {
  void SetUp() override { serve_tls(quick()); }

 protected:
  void serve_tls(ServerOptions options) {
    files_ = write_certificate(folder_, "first");
    tls_ = *Tls::open(files_);
    options.tls = tls_;
    serve(options);
  }
  unsigned probe() const override {
    TlsPeer peer(port());
    peer.ask("GET", "/probe");
    return peer.hear().status;
  }

  TlsFiles files_;
  std::shared_ptr<Tls> tls_;
};

TEST_F(TlsServer, AnswersAsOverPlainConnections) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsPeer peer(port(), {.highest = version});
    ASSERT_TRUE(peer.shaken());
    EXPECT_EQ(SSL_version(peer.ssl()), version);
    peer.ask("GET", "/one");
    peer.ask("GET", "/small");
    EXPECT_EQ(peer.hear().body, "GET /one\n");
    EXPECT_EQ(peer.hear().body, pattern(kBig).substr(0, kSmall));
    peer.ask("HEAD", "/big");
    EXPECT_EQ(peer.hear(false).status, 200u);
    peer.ask("GET", "/big", "Range: bytes=1000-1009\r\n");
    EXPECT_EQ(peer.hear().body, pattern(kBig).substr(1000, 10));
    peer.ask("POST", "/", "Content-Length: 3\r\nExpect: 100-continue\r\n");
    EXPECT_EQ(peer.hear(false).status, 100u);
    peer.say("abc");
    EXPECT_EQ(peer.hear().body, "abc\n");
    peer.ask("GET", "/big", "Connection: close\r\n");
    EXPECT_TRUE(peer.hear().body == pattern(kBig));
    EXPECT_TRUE(peer.at_end());
    EXPECT_TRUE(peer.heard_end());
  }
  expect_unharmed("requests");
}

TEST_F(TlsServer, TakesProtocolsAndCiphersOfToday) {
  struct Row {
    std::string_view why;
    TlsPeer::Ways ways;
    bool works;
  };
  const Row rows[] = {
      {"no ALPN", {}, true},
      {"http/1.1", {.protocols = "\x02h2\x08http/1.1"}, true},
      {"http/2 alone", {.protocols = "\x02h2"}, false},
      {"TLS 1.1", {.highest = TLS1_1_VERSION}, false},
      {"no forward secrecy", {.highest = TLS1_2_VERSION, .ciphers = "AES128-GCM-SHA256:AES128-SHA"}, false},
      {"CBC", {.highest = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-SHA"}, false},
  };
  for (const Row& r : rows) EXPECT_EQ(TlsPeer(port(), r.ways).shaken(), r.works) << r.why;
  expect_unharmed("refused handshakes");
}

TEST_F(TlsServer, SaysSoWhereItIsAskedInPlainHttp) {
  const Answer answer = fetch_once(port(), "GET", "/one");
  EXPECT_EQ(answer.status, 400u);
  EXPECT_EQ(answer.body, "plain HTTP to an HTTPS port; write https:// URLs\n");
  EXPECT_TRUE(eventually([&] { return server_->stats().handshakes_failed == 1; }));
  EXPECT_EQ(server_->stats().handshakes, 0u);
}

TEST_F(TlsServer, ResumesSessions) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsPeer first(port(), {.highest = version});
    first.ask("GET", "/one");
    first.hear();
    const std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session(SSL_get1_session(first.ssl()),
                                                                            SSL_SESSION_free);
    TlsPeer second(port(), {.highest = version, .resumed = session.get()});
    EXPECT_TRUE(SSL_session_reused(second.ssl())) << version;
    second.ask("GET", "/two");
    EXPECT_EQ(second.hear().body, "GET /two\n");
  }
}

TEST_F(TlsServer, RefusesToRenegotiate) {
  TlsPeer peer(port(), {.highest = TLS1_2_VERSION});
  SSL_renegotiate(peer.ssl());
  EXPECT_NE(SSL_do_handshake(peer.ssl()), 1);
  peer.close();
  expect_unharmed("renegotiation");
}

TEST_F(TlsServer, AHalfClosedClientGetsItsAnswer) {
  TlsPeer held(port());
  held.ask("GET", "/hold");
  EXPECT_TRUE(eventually([&] { return held_ == 1; }));
  held.half_close();
  EXPECT_EQ(held.hear().body, "GET /hold\n");
  EXPECT_TRUE(held.at_end());
  TlsPeer reading(port());
  reading.ask("GET", "/big");
  reading.say_end();
  reading.half_close();
  EXPECT_TRUE(reading.hear().body == pattern(kBig));
  EXPECT_TRUE(reading.at_end());
  held.close();
  reading.close();
  expect_unharmed("half-closed clients");
}

TEST_F(TlsServer, GarbageInsteadOfAHandshake) {
  std::mt19937 random(1);  // the same numbers everywhere
  for (int i = 0; i < 100; ++i) {
    std::string text(random() % 3000, '\0');
    for (char& c : text) c = static_cast<char>(random());
    if (i % 2 == 0) text.insert(0, std::string("\x16\x03\x01\x01\x00\x01\x00\x00\xfc\x03\x03", 11));
    HttpPeer peer(port());
    peer.say(text);
    peer.half_close();
    peer.rest(kBig);
    EXPECT_TRUE(peer.at_end()) << i;
  }
  expect_unharmed("garbage");
}

/// The first bytes of each connection, then garbage or a reset.
TEST_F(TlsServer, GarbageAndResetsAfterTheHandshake) {
  for (int i = 0; i < 60; ++i) {
    TlsPeer peer(port());
    if (i % 2 == 0) peer.ask("GET", i % 4 == 0 ? "/big" : "/hold");
    if (i % 12 == 0) peer.hear(false);
    if (i % 3 == 1) peer.say_raw("\x17\x03\x03\x00\x20 these are no bytes of this client");
    if (i % 5 != 0) peer.reset();
  }
  expect_unharmed("garbage and resets");
}

TEST_F(TlsServer, ThoseWhoDoNotReadStallNobody) {
  std::vector<TlsPeer> peers;
  for (int i = 0; i < 50; ++i) {
    peers.emplace_back(port(), TlsPeer::Ways{.receive_buffer = 4096});
    peers.back().ask("GET", "/big");
    peers.back().ask("GET", "/big");
  }
  for (TlsPeer& peer : peers) EXPECT_EQ(peer.hear(false).status, 200u);
  expect_alive("50 clients that do not read");
  EXPECT_TRUE(peers[0].rest(kBig) == pattern(kBig));  // though what it was sent was cut into other pieces
  EXPECT_EQ(peers[0].hear().body.size(), kBig);
  peers.clear();
  expect_unharmed("50 clients that do not read");
}

TEST_F(TlsServer, AFileShorterThanAnnouncedEndsItsConnection) {
  TlsPeer peer(port());
  peer.ask("GET", "/short");
  EXPECT_EQ(peer.hear().body, pattern(kBig).substr(kBig - 10));
  EXPECT_FALSE(peer.heard_end());  // it was cut, and not by the client
  EXPECT_NE(log().find("the file was truncated"), std::string::npos) << log();
}

TEST_F(TlsServer, AFileThatWasWrittenToIsNotSentToItsEnd) {
  TlsPeer peer(port());
  peer.ask("GET", "/changed");
  EXPECT_LT(peer.hear().body.size(), kBig);
  EXPECT_FALSE(peer.heard_end());
}

TEST_F(TlsServer, DrainFinishesBodiesAndClosesTheRest) {
  TlsPeer idle(port());
  idle.ask("GET", "/idle");
  EXPECT_EQ(idle.hear().status, 200u);
  const HttpPeer silent(port());
  EXPECT_TRUE(eventually([&] { return server_->stats().connections_open == 2; }));
  EXPECT_TRUE(eventually([&] { return server_->stats().handshakes >= 1; }));
  TlsPeer reading(port(), {.receive_buffer = 4096});
  reading.ask("GET", "/big");
  EXPECT_EQ(reading.hear(false).status, 200u);
  server_->drain();
  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(idle.heard_end());
  EXPECT_TRUE(reading.rest(kBig) == pattern(kBig));
  EXPECT_TRUE(reading.at_end());
  server_->join();
}

TEST_F(TlsServer, ReloadsWithoutDroppingConnections) {
  TlsPeer before(port());
  before.ask("GET", "/one");
  EXPECT_EQ(before.hear().status, 200u);
  const TlsFiles second = write_certificate(folder_, "second");
  EXPECT_TRUE(tls_->reload(second));
  EXPECT_EQ(TlsPeer(port()).server_name(), "second");
  before.ask("GET", "/two");
  EXPECT_EQ(before.hear().body, "GET /two\n");
  EXPECT_FALSE(tls_->reload({files_.certificate, second.key}));
  EXPECT_EQ(TlsPeer(port()).server_name(), "second");
}

class TlsLimits : public TlsServer {
  void SetUp() override {}
};

TEST_F(TlsLimits, SlowHandshakesEnd) {
  for (const std::string_view says : {std::string_view(), std::string_view("\x16\x03\x01\x01", 4)}) {
    ServerOptions options = quick();
    options.head_timeout = milliseconds(50);
    serve_tls(options);
    HttpPeer peer(port());
    peer.say(says);
    EXPECT_TRUE(peer.at_end());
    EXPECT_EQ(server_->stats().timed_out, 1u);
    peer.close();
    expect_unharmed("slow handshakes");
  }
}

TEST_F(TlsLimits, RefusesWhomItHasNoPlaceFor) {
  ServerOptions options = quick();
  options.max_connections = 2;
  options.max_connections_per_address = 2;
  serve_tls(options);
  {
    std::vector<TlsPeer> peers;
    for (int i = 0; i < 2; ++i) peers.emplace_back(port());
    TlsPeer over(port());
    over.ask("GET", "/x");
    EXPECT_EQ(over.hear().status, 503u);
    EXPECT_TRUE(over.at_end());
  }
  expect_unharmed("too many connections");
}

TEST_F(TlsLimits, SlowReadersAreCutOff) {
  ServerOptions options = quick();
  options.write_timeout = milliseconds(50);
  serve_tls(options);
  TlsPeer peer(port(), {.receive_buffer = 4096});
  peer.ask("GET", "/big");
  EXPECT_TRUE(eventually([&] { return server_->stats().timed_out == 1; }));
  EXPECT_LT(peer.rest(kBig * 2).size(), kBig);
}

TEST(TlsFiles, WhatIsWrongWithThem) {
  const TempFolder folder;
  const TlsFiles good = write_certificate(folder, "good");
  const TlsFiles other = write_certificate(folder, "other");
  folder.write("empty", "");
  folder.write("text", "no certificate\n");
  const auto path = [&](std::string_view name) { return (folder.path() / name).string(); };
  struct Row {
    TlsFiles files;
    std::string why;
  };
  const Row rows[] = {
      {{path("none"), good.key}, "certificate " + path("none") + ": No such file or directory"},
      {{good.certificate, path("none")}, "key " + path("none") + ": No such file or directory"},
      {{path("empty"), good.key}, "certificate " + path("empty") + ": no start line"},
      {{path("text"), good.key}, "certificate " + path("text") + ": no start line"},
      {{good.certificate, good.certificate}, "key " + good.certificate + ": "},
      {{good.certificate, other.key}, "key " + other.key + ": key values mismatch"},
  };
  for (const Row& r : rows) {
    const auto tls = Tls::open(r.files);
    ASSERT_FALSE(tls) << r.why;
    EXPECT_TRUE(tls.error().starts_with(r.why)) << tls.error() << ", not " << r.why;
  }
  EXPECT_TRUE(Tls::open(good));
}

}  // namespace
}  // namespace symcached::net
