#include "net/http_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <future>

#include "testing/http_peer.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::net {
namespace {

constexpr std::size_t kBig = 16 << 20;  ///< bytes; more than the socket buffers of both ends take

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 2654435761u >> 24);
  return text;
}

class HttpServer : public ::testing::Test {
 protected:
  void serve(ServerOptions options) {
    folder_.write("big", pattern(kBig));
    file_ = std::make_shared<const Descriptor>(::open((folder_.path() / "big").c_str(), O_RDONLY | O_CLOEXEC));
    options.threads = 2;
    auto started = Server::start(
        options, [this](http::Request r) { return answer(std::move(r)); }, [](Severity, const std::string&) {});
    ASSERT_TRUE(started) << started.error();
    server_ = std::move(*started);
  }
  void SetUp() override { serve({}); }

  Task<http::Response> answer(http::Request request) {
    if (request.target == "/big") co_return http::file_response(request, {file_, 0, kBig}, "\"big\"", {});
    if (request.target == "/throws") throw std::runtime_error("no");
    co_return http::text(200, request.method + " " + request.target);
  }

  TempFolder folder_;
  std::shared_ptr<const Descriptor> file_;
  std::unique_ptr<Server> server_;
};

TEST_F(HttpServer, AnswersManyRequestsOnOneConnection) {
  HttpPeer peer(server_->port());
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
  EXPECT_TRUE(fetch_once(server_->port(), "GET", "/big").body == pattern(kBig));
  const Answer part = fetch_once(server_->port(), "GET", "/big", "Range: bytes=1000-1009\r\n");
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
      {"handler throws", "GET /throws HTTP/1.1\r\nHost: t\r\n\r\n", 500},
  };
  for (const Row& r : rows) {
    HttpPeer peer(server_->port());
    peer.say(r.text);
    EXPECT_EQ(peer.hear().status, r.status) << r.why;
  }
}

TEST_F(HttpServer, Http10IsAnsweredAndClosed) {
  HttpPeer peer(server_->port());
  peer.say("GET /old HTTP/1.0\r\n\r\n");
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.body, "GET /old\n");
  EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(peer.at_end());
}

TEST_F(HttpServer, DrainFinishesBodiesAndClosesIdleConnections) {
  HttpPeer idle(server_->port());
  idle.ask("GET", "/idle");
  EXPECT_EQ(idle.hear().status, 200u);
  HttpPeer reading(server_->port());
  reading.ask("GET", "/big");
  HttpPeer other(server_->port());
  other.ask("GET", "/big", "Range: bytes=0-0\r\n");
  EXPECT_EQ(other.hear().status, 206u);
  const auto started = reading.hear(false);  // the head alone: the body is in flight and larger than every buffer
  EXPECT_EQ(started.status, 200u);
  server_->drain();
  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(other.at_end());
  EXPECT_EQ(reading.rest(kBig), pattern(kBig));
  EXPECT_TRUE(reading.at_end());
  server_->join();
  EXPECT_FALSE(HttpPeer(server_->port()).connected());
}

TEST_F(HttpServer, ANewRequestWhileDrainingIs503) {
  HttpPeer peer(server_->port());
  peer.ask("GET", "/first");
  EXPECT_EQ(peer.hear().status, 200u);
  peer.say("GET /sec");
  HttpPeer probe(server_->port());
  probe.ask("GET", "/big");
  EXPECT_EQ(probe.hear(false).status, 200u);
  server_->drain();
  peer.say("ond HTTP/1.1\r\nHost: t\r\n\r\n");
  const Answer answer = peer.hear();
  if (answer.status != 0) {  // 0: its first bytes had not arrived yet, so the connection was idle
    EXPECT_EQ(answer.status, 503u);
    EXPECT_NE(answer.head.find("Retry-After:"), std::string::npos);
    EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
  }
}

TEST_F(HttpServer, SaysWhyItCannotListen) {
  ServerOptions taken;
  taken.port = server_->port();
  const auto second = Server::start(
      taken, [](http::Request) -> Task<http::Response> { co_return http::Response(); },
      [](Severity, const std::string&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find(std::to_string(taken.port)), std::string::npos) << second.error();
}

class HttpServerTimeouts : public HttpServer {
  void SetUp() override {
    using std::chrono::milliseconds;
    ServerOptions options;
    options.idle_timeout = options.head_timeout = options.write_timeout = milliseconds(50);
    serve(options);
  }
};

TEST_F(HttpServerTimeouts, EndEachKindOfSlowPeer) {
  HttpPeer silent(server_->port());
  EXPECT_TRUE(silent.at_end());
  HttpPeer half(server_->port());
  half.say("GET / HT");
  EXPECT_TRUE(half.at_end());
  HttpPeer not_reading(server_->port());
  not_reading.ask("GET", "/big");
  server_->drain();
  server_->join();  // ends only because the peer that takes nothing was cut off
}

}  // namespace
}  // namespace symcached::net
