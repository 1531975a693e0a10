#include "net/rate_limiter.hpp"

#include <gtest/gtest.h>

#include "net/network.hpp"

namespace symcached::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr RateLimiter::Clock::time_point kStart{seconds(1'000)};

RateLimiter::Clock::time_point at_the_start() { return kStart; }

TEST(RateLimiter, LetsABurstThroughAndThenARate) {
  struct Row {
    std::string_view why;
    milliseconds at;
    std::string_view client;
    int answered;  ///< of as many requests as that, and one more
    seconds wait_of_next;
  };
  const Row rows[] = {
      {"a burst", milliseconds(0), "a", 4, seconds(1)},
      {"half a token", milliseconds(249), "a", 0, seconds(1)},
      {"a token", milliseconds(500), "a", 1, seconds(1)},
      {"another client", milliseconds(500), "b", 4, seconds(1)},
      {"two tokens", milliseconds(1'500), "a", 2, seconds(1)},
      {"no more than a burst is saved up", seconds(60), "a", 4, seconds(1)},
      {"a clock that goes back", seconds(50), "a", 0, seconds(11)},
  };
  RateLimiter::Clock::time_point now;
  RateLimiter limiter({.per_second = 2, .burst = 4}, RateLimiter::kMostClients, [&] { return now; });
  std::uint64_t refused = 0;
  for (const Row& r : rows) {
    now = kStart + r.at;
    for (int i = 0; i < r.answered; ++i) EXPECT_EQ(limiter.wait_of(r.client), seconds(0)) << r.why << " " << i;
    EXPECT_EQ(limiter.wait_of(r.client), r.wait_of_next) << r.why;
    EXPECT_EQ(limiter.refused(), ++refused) << r.why;
  }
}

TEST(RateLimiter, ABurstOfTenSecondsIfNoneIsGiven) {
  RateLimiter limiter({.per_second = 3}, RateLimiter::kMostClients, at_the_start);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(limiter.wait_of("a"), seconds(0)) << i;
  EXPECT_EQ(limiter.wait_of("a"), seconds(1));
}

TEST(RateLimiter, ForgetsWhoAskedLeastLately) {
  RateLimiter limiter({.per_second = 1, .burst = 1}, 2, at_the_start);
  for (const std::string_view client : {"a", "b"}) EXPECT_EQ(limiter.wait_of(client), seconds(0));
  EXPECT_EQ(limiter.wait_of("a"), seconds(1)) << "refused, and used";
  EXPECT_EQ(limiter.wait_of("c"), seconds(0));
  EXPECT_EQ(limiter.wait_of("a"), seconds(1)) << "remembered";
  EXPECT_EQ(limiter.wait_of("b"), seconds(0)) << "forgotten";
}

TEST(Network, CountsAddressesOfOneHostAsOne) {
  struct Row {
    std::string_view why, address, want;
  };
  const Row rows[] = {
      {"IPv4", "192.0.2.7", "192.0.2.7"},
      {"IPv4 as IPv6 writes it", "::ffff:192.0.2.7", "192.0.2.7"},
      {"IPv6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
      {"this host", "::1", "::"},
  };
  for (const Row& r : rows)
    EXPECT_EQ(network_of(boost::asio::ip::make_address(r.address)).to_string(), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::net
