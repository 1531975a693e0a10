#include "fetch/host_health.hpp"

#include <gtest/gtest.h>

namespace symcached::fetch {
namespace {

using namespace std::chrono_literals;
using Sign = HostHealth::Sign;

class HostHealthTest : public ::testing::Test {
 protected:
  void ask(Sign sign, std::optional<std::chrono::seconds> retry_after = {}) {
    auto ticket = health_.begin("h:1");
    ASSERT_TRUE(ticket);
    ticket->report(sign, retry_after);
  }
  HostHealth::Clock::time_point now_{};
  HostHealth health_{{.threshold = 3, .first = 10s, .most = 60s}, [this] { return now_; }};
};

TEST_F(HostHealthTest, FailuresInARowMakeAPauseThatGrows) {
  for (int i = 0; i < 2; ++i) ask(Sign::ill);
  EXPECT_EQ(health_.pause("h:1"), std::nullopt);
  ask(Sign::well);
  for (int i = 0; i < 3; ++i) ask(Sign::ill);
  for (const auto pause : {10s, 20s, 40s, 60s, 60s}) {
    EXPECT_EQ(health_.pause("h:1"), pause);
    EXPECT_FALSE(health_.begin("h:1"));
    EXPECT_EQ(health_.pause("other:1"), std::nullopt);
    now_ += pause - 1s;
    EXPECT_EQ(health_.pause("h:1"), 1s);
    now_ += 1s;
    ask(Sign::ill);  // the probe
  }
  now_ += 60s;
  ask(Sign::well);
  for (int i = 0; i < 2; ++i) ask(Sign::ill);
  EXPECT_EQ(health_.pause("h:1"), std::nullopt);
}

TEST_F(HostHealthTest, CountsThoseLeftAlone) {
  EXPECT_EQ(health_.left_alone(), 0u);
  for (int i = 0; i < 3; ++i) ask(Sign::ill);
  EXPECT_EQ(health_.left_alone(), 1u);
  now_ += 10s;
  EXPECT_EQ(health_.left_alone(), 0u);
}

TEST(HostHealth, SomeAreAskedHoweverOftenTheyFail) {
  HostHealth health({.threshold = 1, .never = {"Symbols.example", "::1"}});
  const auto is_left_alone = [&](const std::string& host) {
    health.begin(host)->report(Sign::ill, {});
    return health.pause(host).has_value();
  };
  EXPECT_FALSE(is_left_alone("symbols.example:443"));
  EXPECT_FALSE(is_left_alone("[::1]:80"));
  EXPECT_TRUE(is_left_alone("other.symbols.example:443"));
}

TEST_F(HostHealthTest, OneProbeAtATime) {
  for (int i = 0; i < 3; ++i) ask(Sign::ill);
  now_ += 10s;
  {
    auto probe = health_.begin("h:1");
    ASSERT_TRUE(probe);
    EXPECT_FALSE(health_.begin("h:1"));
    EXPECT_EQ(health_.pause("h:1"), 1s);
  }  // dropped: the next one is the probe
  ask(Sign::well);
  EXPECT_TRUE(health_.begin("h:1"));
}

TEST_F(HostHealthTest, WhatWasUnderWayWhenThePauseBeganDoesNotProlongIt) {
  auto early = health_.begin("h:1");
  for (int i = 0; i < 3; ++i) ask(Sign::ill);
  early->report(Sign::ill, {});
  EXPECT_EQ(health_.pause("h:1"), 10s);
}

TEST_F(HostHealthTest, AnAnswerToAnotherRequestDoesNotEndAPauseThatIsAskedFor) {
  auto early = health_.begin("h:1");
  ask(Sign::ill, 60s);
  early->report(Sign::well, {});
  EXPECT_EQ(health_.pause("h:1"), 60s);
}

TEST_F(HostHealthTest, APauseThatIsAskedForIsKeptToTheSecond) {
  ask(Sign::well, 2s);
  EXPECT_EQ(health_.pause("h:1"), 2s);
  now_ += 1999ms;
  EXPECT_FALSE(health_.begin("h:1"));
  now_ += 1ms;
  EXPECT_TRUE(health_.begin("h:1"));
}

}  // namespace
}  // namespace symcached::fetch
