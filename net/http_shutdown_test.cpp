#include <gmock/gmock.h>

#include "testing/server/server_fixture.hpp"

namespace symcached::net {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

class HttpShutdown : public ServerFixture {
  void SetUp() override {
    ServerOptions options = quick();
    options.threads = 1;  // so that what one connection has seen, all have
    serve(options);
  }
};

TEST_F(HttpShutdown, DrainFinishesBodiesAndClosesIdleConnections) {
  HttpPeer idle(port());
  idle.ask("GET", "/idle");
  EXPECT_EQ(idle.hear().status, 200u);
  HttpPeer reading(port());
  reading.ask("GET", "/big");
  const auto started = reading.hear(false);  // the head alone: the body is in flight and larger than every buffer
  EXPECT_EQ(started.status, 200u);
  server_->drain();
  EXPECT_TRUE(idle.at_end());
  EXPECT_EQ(reading.rest(kBig), pattern(kBig));
  EXPECT_TRUE(reading.at_end());
  server_->join();
  EXPECT_FALSE(HttpPeer(port()).connected());
  EXPECT_THAT(server_->cut(), IsEmpty());
}

TEST_F(HttpShutdown, ANewRequestWhileDrainingIs503) {
  HttpPeer idle(port());
  HttpPeer peer(port());
  peer.say("GET /sec");
  idle.ask("GET", "/idle");
  EXPECT_EQ(idle.hear().status, 200u);  // so the first bytes of the other request are read, too
  server_->drain();
  EXPECT_TRUE(idle.at_end());
  peer.say("ond HTTP/1.1\r\nHost: t\r\n\r\n");
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.status, 503u);
  EXPECT_NE(answer.head.find("Retry-After:"), std::string::npos);
  EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(HttpShutdown, CutEndsWhatIsOpenAndSaysWhat) {
  HttpPeer reading(port());
  reading.ask("GET", "/big?secret");
  EXPECT_EQ(reading.hear(false).status, 200u);
  HttpPeer held(port());
  held.ask("GET", "/hold");
  EXPECT_TRUE(eventually([&] { return held_ == 1; }));
  HttpPeer idle(port());
  idle.ask("GET", "/idle");
  EXPECT_EQ(idle.hear().status, 200u);
  server_->drain();
  EXPECT_THAT(server_->cut(),
              UnorderedElementsAre(MatchesRegex("GET /big to 127.0.0.1:[0-9]+: [0-9,]+ of 16,777,216 bytes sent"),
                                   MatchesRegex("GET /hold to 127.0.0.1:[0-9]+: no answer yet")));
  server_->join();
  EXPECT_EQ(released_, 1);
  EXPECT_LT(reading.rest(kBig).size(), kBig);
  EXPECT_TRUE(held.at_end());
  EXPECT_EQ(server_->stats().responses_cut, 2u);
  EXPECT_EQ(server_->stats().connections_open, 0u);
}

TEST_F(HttpShutdown, TheListOfWhatWasCutIsShort) {
  std::vector<HttpPeer> peers;
  for (int i = 0; i < 105; ++i) peers.emplace_back(port()).ask("GET", "/hold");
  EXPECT_TRUE(eventually([&] { return held_ == 105; }));
  const auto lines = server_->cut();
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "and 5 more");
  server_->join();
}

}  // namespace
}  // namespace symcached::net
