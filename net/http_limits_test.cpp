#include <sys/resource.h>

#include <algorithm>

#include "net/admission.hpp"
#include "testing/server/process.hpp"
#include "testing/server/server_fixture.hpp"

namespace symcached::net {
namespace {

using HttpLimits = ServerFixture;

TEST_F(HttpLimits, HeadsOfEverySizeAreAnswered) {
  constexpr std::size_t kMost = (64 << 10) - std::string_view("Host: test\r\nA: \r\n\r\n").size();
  std::vector<std::size_t> sizes{65'533, 65'534, 65'535, 65'536, 65'540, 70'000, 72 << 10, 100'000, 200'000};
  for (const std::size_t limit : {8 << 10, 64 << 10, 72 << 10})
    for (std::size_t n = limit - 48; n <= limit + 48u; n += 8) sizes.push_back(n);
  for (std::size_t n = 0; n <= 200'000; n += 4999) sizes.push_back(n);
  for (const std::size_t size : sizes) {
    HttpPeer peer(port());
    peer.ask("GET", "/", "A: " + std::string(size, 'x') + "\r\n");
    EXPECT_EQ(peer.hear().status, size <= kMost ? 200u : 431u) << size;
  }
  expect_unharmed("heads of every size");
}

class HttpCaps : public ServerFixture {
  void SetUp() override {}
};

bool is_refusal(HttpPeer& peer) {
  const Answer answer = peer.hear();
  return answer.status == 503 && answer.body == "too many connections; retry later\n" &&
         answer.head.find("Retry-After: ") != std::string::npos &&
         answer.head.find("Connection: close\r\n") != std::string::npos && peer.at_end();
}

TEST_F(HttpCaps, ConnectionsInAllAndFromOneAddress) {
  struct Row {
    std::size_t in_all;
    std::size_t per_address;
  };
  for (const Row& r : {Row{5, 100}, Row{100, 5}}) {
    ServerOptions options = quick();
    options.max_connections = r.in_all;
    options.max_connections_per_address = r.per_address;
    serve(options);
    {
      std::vector<HttpPeer> peers;
      for (int i = 0; i < 5; ++i) {
        peers.emplace_back(port()).ask("GET", "/x");
        EXPECT_EQ(peers.back().hear().status, 200u);
      }
      for (int i = 0; i < 10; ++i) {
        HttpPeer over(port());
        over.ask("GET", "/x");
        EXPECT_TRUE(is_refusal(over)) << i;
      }
      EXPECT_EQ(server_->stats().connections_refused, 10u);
      EXPECT_EQ(server_->stats().connections_open, 5u);
      peers.pop_back();
      EXPECT_TRUE(eventually([&] { return server_->stats().connections_open == 4; }));
      peers.emplace_back(port()).ask("GET", "/x");
      EXPECT_EQ(peers.back().hear().status, 200u);
    }
    expect_unharmed("too many connections");
  }
}

TEST_F(HttpCaps, RequestsInFlight) {
  ServerOptions options = quick();
  options.max_in_flight = 3;
  serve(options);
  std::vector<HttpPeer> peers;
  for (int i = 0; i < 3; ++i) peers.emplace_back(port()).ask("GET", "/hold");
  EXPECT_TRUE(eventually([&] { return held_ == 3; }));
  HttpPeer over(port());
  over.ask("GET", "/x");
  const Answer answer = over.hear();
  EXPECT_EQ(answer.status, 503u);
  EXPECT_NE(answer.head.find("Retry-After: "), std::string::npos);
  EXPECT_EQ(server_->stats().requests_refused, 1u);
  peers.clear();
  EXPECT_TRUE(eventually([&] { return server_->stats().requests_in_flight == 0; }));
  over.ask("GET", "/x");
  EXPECT_EQ(over.hear().status, 200u);
}

/// While it lives, this process can open `count` more descriptors and no more.
class FewDescriptors {
 public:
  explicit FewDescriptors(std::size_t count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    int last = 0;
    do {
      taken_.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      last = taken_.back().get();
    } while (taken_.size() < 64);  // fills the gaps below
    const rlimit now{.rlim_cur = static_cast<rlim_t>(last + 1), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &now);
    taken_.resize(taken_.size() - count);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<Descriptor> taken_;
};

TEST_F(HttpCaps, WithoutDescriptorsItSaysSoAndRecovers) {
  serve(quick());
  {
    std::vector<HttpPeer> peers(40);
    const FewDescriptors few(10);
    unsigned served = 0;
    unsigned refused = 0;
    for (HttpPeer& peer : peers) {
      peer.connect(port());
      peer.ask("GET", "/x");
      const unsigned status = peer.hear().status;
      served += status == 200;
      refused += status == 503;
    }
    EXPECT_EQ(served, 10u);
    EXPECT_EQ(refused, 30u);
    EXPECT_NE(log().find("cannot accept a connection: Too many open files\n"), std::string::npos) << log();
    peers[0].close();
    EXPECT_TRUE(eventually([&] { return server_->stats().connections_open == 9; }));
    HttpPeer& last = peers[39];
    last = HttpPeer();
    last.connect(port());
    last.ask("GET", "/x");
    EXPECT_EQ(last.hear().status, 200u);
  }
  expect_unharmed("no descriptors");
  EXPECT_LE(std::ranges::count(log(), '\n'), 2) << log();
}

TEST(HttpServerLimits, FollowTheDescriptorLimit) {
  struct Row {
    rlim_t descriptors;
    std::size_t connections;
  };
  for (const Row& r : {Row{128, 32}, Row{1024, 384}, Row{4, 4}}) {
    const ScopedLimit limit(RLIMIT_NOFILE, r.descriptors);
    const ServerOptions options = with_limits({});
    EXPECT_EQ(options.max_connections, r.connections) << r.descriptors;
    EXPECT_EQ(options.max_connections_per_address, r.connections / 2) << r.descriptors;
    EXPECT_EQ(options.max_in_flight, r.connections / 4 * 3) << r.descriptors;
  }
}

}  // namespace
}  // namespace symcached::net
