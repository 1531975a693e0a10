#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <latch>
#include <thread>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"

namespace symcached::pprof {
namespace {

std::atomic<bool> let_go{false};

__attribute__((noinline, aligned(256))) void parked(std::latch& there) {
  there.count_down();
  let_go.wait(false);
}

void block_all_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::int64_t count_in(const Profile& profile, std::uintptr_t begin) {
  std::int64_t count = 0;
  for (const Sample& sample : profile.samples)
    if (std::ranges::any_of(sample.stack, [&](std::uintptr_t address) { return address - begin < 256; }))
      count += sample.count;
  return count;
}

TEST(ThreadsProfile, HasTheStackOfEachThread) {
  constexpr int kThreads = 150;  // more than are asked at a time
  std::latch there(kThreads + 1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { parked(there); });
  threads.emplace_back([&] {
    block_all_signals();
    parked(there);
  });
  there.wait();
  const auto profile = threads_profile();
  const auto again = threads_profile();  // what answers late to the first is none of its answers
  let_go = true;
  let_go.notify_all();
  ASSERT_TRUE(profile && again) << profile.error().reason;
  if (kSanitized) return;  // the thread sanitizer puts the signal off until the thread calls something of its own
  EXPECT_EQ(profile->lost, 1);
  EXPECT_EQ(again->lost, 1);
  for (const auto& each : {*profile, *again}) {
    EXPECT_EQ(count_in(each, reinterpret_cast<std::uintptr_t>(parked)), kThreads);
    std::int64_t all = 0;
    for (const Sample& sample : each.samples) all += sample.count;
    EXPECT_EQ(all, kThreads + 1);
  }
}

TEST(ThreadsProfile, ManyAtOnceAreAnsweredOrTurnedAway) {
  std::vector<std::jthread> threads;
  std::atomic<int> answered{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto profile = threads_profile();
        if (profile) ++answered;
        else EXPECT_EQ(profile.error().status, 409);
      }
    });
  threads.clear();
  EXPECT_GT(answered, 0);
}

}  // namespace
}  // namespace symcached::pprof
