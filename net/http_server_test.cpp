#include "net/http_server.hpp"

#include "testing/server/server_fixture.hpp"

namespace symcached::net {
namespace {

using HttpServer = ServerFixture;

TEST_F(HttpServer, AnswersManyRequestsOnOneConnection) {
  HttpPeer peer(port());
  peer.ask("GET", "/one");
  peer.ask("GET", "/two");
  EXPECT_EQ(peer.hear().body, "GET /one\n");
  EXPECT_EQ(peer.hear().body, "GET /two\n");
  peer.ask("HEAD", "/three");
  const Answer head = peer.hear(false);
  EXPECT_EQ(head.status, 200u);
  EXPECT_NE(head.head.find("Content-Length: 12\r\n"), std::string::npos) << head.head;
  peer.ask("GET", "/four", "Connection: close\r\n");
  EXPECT_EQ(peer.hear().body, "GET /four\n");
  EXPECT_TRUE(peer.at_end());
}

TEST_F(HttpServer, SendsFilesAndParts) {
  EXPECT_TRUE(fetch_once(port(), "GET", "/big").body == pattern(kBig));
  const Answer part = fetch_once(port(), "GET", "/big", "Range: bytes=1000-1009\r\n");
  EXPECT_EQ(part.status, 206u);
  EXPECT_EQ(part.body, pattern(kBig).substr(1000, 10));
}

TEST_F(HttpServer, RefusesWhatIsNoRequest) {
  struct Row {
    std::string_view why;
    std::string text;
    unsigned status;
  };
  const std::string many(70 << 10, 'x');
  const Row rows[] = {
      {"target over the limit", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: t\r\n\r\n", 414},
      {"start line without end", "GET /" + std::string(80 << 10, 'a'), 414},
      {"headers over the limit", "GET / HTTP/1.1\r\nHost: t\r\nA: " + many + "\r\nB: " + many + "\r\n\r\n", 431},
      {"body over the limit", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n", 413},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"no HTTP", "hello there\r\n\r\n", 400},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: t\r\nHost: t\r\n\r\n", 400},
      {"chunk header without end",
       "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100 << 10, 'a'), 400},
      {"chunks over the limit", "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413},
  };
  for (const Row& r : rows) {
    HttpPeer peer(port());
    peer.say(r.text);
    EXPECT_EQ(peer.hear().status, r.status) << r.why;
  }
}

TEST_F(HttpServer, Http10IsAnsweredAndClosed) {
  HttpPeer peer(port());
  peer.say("GET /old HTTP/1.0\r\n\r\n");
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.body, "GET /old\n");
  EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(peer.at_end());
}

TEST_F(HttpServer, SaysWhyItCannotListen) {
  ServerOptions taken;
  taken.port = port();
  const auto second = Server::start(
      taken, [](http::Request) -> Task<http::Response> { co_return http::Response(); },
      [](Severity, const std::string&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find(std::to_string(taken.port)), std::string::npos) << second.error();
}

TEST_F(HttpServer, AnswersWithBodies) {
  struct Row {
    std::string_view why;
    std::string headers;
    std::string body;
    std::string want;
  };
  const std::string whole = pattern(64 << 10);
  const Row rows[] = {
      {"no body", "", "", "\n"},
      {"with a length", "Content-Length: 3\r\n", "abc", "abc\n"},
      {"as large as allowed", "Content-Length: 65536\r\n", whole, whole + "\n"},
      {"in chunks", "Transfer-Encoding: chunked\r\n", "1\r\na\r\n2;x=y\r\nbc\r\n0\r\nT: z\r\n\r\n", "abc\n"},
  };
  HttpPeer peer(port());
  for (const Row& r : rows) {
    peer.ask("POST", "/", r.headers);
    peer.say(r.body);
    peer.ask("GET", "/next");
    EXPECT_EQ(peer.hear().body, r.want) << r.why;
    EXPECT_EQ(peer.hear().body, "GET /next\n") << r.why;
  }
}

TEST_F(HttpServer, SaysToContinueBeforeABody) {
  HttpPeer peer(port());
  peer.ask("POST", "/", "Content-Length: 3\r\nExpect: 100-continue\r\n");
  EXPECT_EQ(peer.hear(false).status, 100u);
  peer.say("abc");
  EXPECT_EQ(peer.hear().body, "abc\n");
  peer.ask("POST", "/", "Content-Length: 3000000\r\nExpect: 100-continue\r\n");
  EXPECT_EQ(peer.hear().status, 413u);
  EXPECT_TRUE(peer.at_end());
}

TEST_F(HttpServer, AnExceptionCostsItsRequest) {
  HttpPeer peer(port());
  peer.ask("GET", "/throws");
  peer.ask("GET", "/no-memory");
  peer.ask("GET", "/after");
  EXPECT_EQ(peer.hear().body, "internal error; see the server log\n");
  const Answer no_memory = peer.hear();
  EXPECT_EQ(no_memory.status, 503u);
  EXPECT_NE(no_memory.head.find("Retry-After: "), std::string::npos);
  EXPECT_EQ(peer.hear().body, "GET /after\n");
  EXPECT_NE(log().find("internal error while answering GET /throws: no\n"), std::string::npos) << log();
  EXPECT_NE(log().find("out of memory while answering GET /no-memory"), std::string::npos) << log();
}

TEST_F(HttpServer, AFileShorterThanAnnouncedEndsItsConnection) {
  const Answer answer = fetch_once(port(), "GET", "/short");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.body, pattern(kBig).substr(kBig - 10));
  expect_unharmed("a short file");
  EXPECT_NE(log().find("GET /short to 127.0.0.1:"), std::string::npos) << log();
}

TEST_F(HttpServer, AFileThatWasWrittenToIsNotSentToItsEnd) {
  const Answer answer = fetch_once(port(), "GET", "/changed");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_LT(answer.body.size(), kBig);
  EXPECT_EQ(fetch_once(port(), "HEAD", "/changed").status, 200u);
  expect_unharmed("a file that was written to");
  EXPECT_NE(log().find("the file was written to"), std::string::npos) << log();
}

}  // namespace
}  // namespace symcached::net
