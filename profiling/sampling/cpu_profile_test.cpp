#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"

namespace symcached::pprof {
namespace {

using std::chrono::milliseconds;

std::atomic<std::uint64_t> sink{0};

// Work that takes as long as it is counted, in functions that stay functions.
#define WORKER(name)                                                                                                  \
  __attribute__((noinline, aligned(256))) void name(int rounds) {                                                     \
    for (int i = 0; i < rounds * 1000; ++i) sink.fetch_add(static_cast<std::uint64_t>(i), std::memory_order_relaxed); \
  }
WORKER(sixty)
WORKER(thirty)
WORKER(ten)
WORKER(of_many)
#undef WORKER

/// Threads that work until they are told to stop.
class Busy {
 public:
  Busy(std::size_t count, std::function<void()> work) {
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([work](const std::stop_token& stop) {
        while (!stop.stop_requested()) work();
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

void mixed() {
  sixty(60);
  thirty(30);
  ten(10);
}

/// The share of samples taken in a function, in percent; it is aligned to 256 bytes, and not longer.
double share(const Profile& profile, void (*function)(int)) {
  const auto begin = reinterpret_cast<std::uintptr_t>(function);
  std::int64_t all = 0, here = 0;
  for (const Sample& sample : profile.samples) {
    all += sample.count;
    if (sample.stack.front() - begin < 256) here += sample.count;
  }
  return all == 0 ? 0 : 100.0 * static_cast<double>(here) / static_cast<double>(all);
}

/// Taken until it is stopped, once the short ones before it are done.
Answer<Profile> long_profile(const std::stop_token& stop) {
  Answer<Profile> profile;
  do {
    profile = cpu_profile({.duration = milliseconds(60'000), .frequency = 1000}, stop);
  } while (!profile && !stop.stop_requested());
  return profile;
}

/// On a busy machine, the threads may hardly run for a while: profiles are added up until they say enough.
template <class Enough>
Answer<Profile> profile_until(unsigned frequency, Enough enough) {
  Answer<Profile> all = Profile{};
  for (int round = 0; round < 40; ++round) {
    auto profile = cpu_profile({.duration = milliseconds(500), .frequency = frequency}, {});
    if (!profile) return profile;
    profile->lost += all->lost;
    std::ranges::move(all->samples, std::back_inserter(profile->samples));
    all = std::move(profile);
    if (enough(*all)) break;
  }
  return all;
}

std::int64_t total(const Profile& profile) {
  std::int64_t all = 0;
  for (const Sample& sample : profile.samples) all += sample.count;
  return all;
}

TEST(CpuProfile, SharesAreThoseOfTheWork) {
  const Busy busy(2, mixed);
  const auto profile = profile_until(400, [](const Profile& p) { return kSanitized || total(p) >= 800; });
  ASSERT_TRUE(profile) << profile.error().reason;
  EXPECT_EQ(profile->period, 2'500'000);
  EXPECT_GE(profile->duration, milliseconds(500));
  if (kSanitized) return;  // its own functions take a part, and it puts signals off
  EXPECT_NEAR(share(*profile, sixty), 60, 8);
  EXPECT_NEAR(share(*profile, thirty), 30, 8);
  EXPECT_NEAR(share(*profile, ten), 10, 5);
  for (const Sample& sample : profile->samples) {
    EXPECT_NE(sample.stack.front(), 0u);
    EXPECT_EQ(sample.value, sample.count * profile->period);
  }
}

TEST(CpuProfile, CountsTheTimeOfAllThreads) {
  const Busy busy(6, [] { of_many(1); });
  const std::clock_t before = std::clock();
  const auto profile = cpu_profile({.duration = milliseconds(1000), .frequency = 500}, {});
  const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  ASSERT_TRUE(profile) << profile.error().reason;
  std::int64_t counted = 0;
  for (const Sample& sample : profile->samples) counted += sample.value;
  if (kSanitized) return;
  EXPECT_GT(share(*profile, of_many), 90);
  EXPECT_NEAR(static_cast<double>(counted) / 1e9, used, used * 0.25);
}

template <int Thread>
__attribute__((noinline, aligned(256))) void of_one(int rounds) {
  for (int i = 0; i < rounds * 1000; ++i) sink.fetch_add(Thread, std::memory_order_relaxed);
}

TEST(CpuProfile, SeesEachOfManyThreads) {
  std::vector<void (*)(int)> functions;
  [&]<int... thread>(std::integer_sequence<int, thread...>) {
    (functions.push_back(of_one<thread>), ...);
  }(std::make_integer_sequence<int, 64>());
  std::vector<std::unique_ptr<Busy>> busy;
  for (auto* function : functions) busy.push_back(std::make_unique<Busy>(1, [function] { function(1); }));
  const auto profile = profile_until(1000, [&](const Profile& p) {
    return kSanitized || std::ranges::all_of(functions, [&](auto* function) { return share(p, function) > 0.2; });
  });
  busy.clear();
  ASSERT_TRUE(profile) << profile.error().reason;
  EXPECT_EQ(profile->lost, 0);
  if (kSanitized) return;
  for (auto* function : functions) EXPECT_GT(share(*profile, function), 0.2);
}

TEST(CpuProfile, SeesThreadsThatBeginLater) {
  std::stop_source ended;
  const std::jthread starter([&] {
    std::this_thread::sleep_for(milliseconds(100));
    const Busy busy(1, [] { of_many(1); });
    while (!ended.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
  });
  const auto profile = cpu_profile({.duration = milliseconds(600), .frequency = 400}, {});
  ended.request_stop();
  ASSERT_TRUE(profile) << profile.error().reason;
  if (kSanitized) return;
  EXPECT_GT(share(*profile, of_many), 50);
}

TEST(CpuProfile, OneAtATime) {
  std::stop_source stop;
  Answer<Profile> first;
  std::jthread profiler([&] { first = long_profile(stop.get_token()); });
  Answer<Profile> second;
  do {
    second = cpu_profile({.duration = milliseconds(1)}, {});
  } while (second);
  EXPECT_EQ(second.error().status, 409);
  EXPECT_GE(second.error().retry_after, 50);
  const auto asked = std::chrono::steady_clock::now();
  stop.request_stop();
  profiler.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, milliseconds(2000));
  ASSERT_TRUE(first);
  EXPECT_LT(first->duration, milliseconds(50'000));
}

TEST(CpuProfile, RefusesWhatMakesNoSense) {
  struct Row {
    std::string_view why;
    CpuOptions options;
  };
  const Row rows[] = {{"never", {.frequency = 0}},
                      {"too often", {.frequency = 4001}},
                      {"no time", {.duration = milliseconds(0)}},
                      {"time that has passed", {.duration = milliseconds(-1)}}};
  for (const Row& r : rows) {
    const auto profile = cpu_profile(r.options, {});
    ASSERT_FALSE(profile) << r.why;
    EXPECT_EQ(profile.error().status, 400) << r.why;
  }
}

TEST(CpuProfile, LeavesTheProgramsOwnHandlerAlone) {
  struct sigaction before{}, theirs{};
  theirs.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGPROF, &theirs, &before), 0);
  const auto profile = cpu_profile({.duration = milliseconds(10)}, {});
  ::sigaction(SIGPROF, &before, nullptr);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().status, 409);
  EXPECT_TRUE(cpu_profile({.duration = milliseconds(10)}, {}));
}

TEST(CpuProfile, StartsAndStopsManyTimes) {
  const Busy busy(2, [] { of_many(1); });
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(cpu_profile({.duration = milliseconds(2), .frequency = 4000}, {}));
  EXPECT_EQ(open_files(), before);
  ::raise(SIGPROF);  // a late one ends nothing
}

TEST(CpuProfile, ThreadsMayEndMeanwhile) {
  std::stop_source ended;
  const std::jthread starter([&] {
    while (!ended.stop_requested()) std::jthread([] { of_many(20); });
  });
  const auto profile = cpu_profile({.duration = milliseconds(500), .frequency = 1000}, {});
  ended.request_stop();
  EXPECT_TRUE(profile) << profile.error().reason;
}

TEST(CpuProfile, AForkedChildIsFree) {
  std::stop_source stop;
  Answer<Profile> mine;
  std::jthread profiler([&] { mine = long_profile(stop.get_token()); });
  while (cpu_profile({.duration = milliseconds(1)}, {})) continue;
  const pid_t child = ::fork();
  if (child == 0) {
    of_many(100);
    const auto own = cpu_profile({.duration = milliseconds(50), .frequency = 1000}, {});
    ::_exit(own ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  of_many(20'000);
  stop.request_stop();
  profiler.join();
  ASSERT_TRUE(mine);
  EXPECT_FALSE(mine->samples.empty());
}

TEST(CpuProfile, CountsWhatThreadsUseThatBlockTheSignal) {
  std::atomic<bool> blocked{false};
  const Busy busy(1, [&] {
    if (!blocked) {
      sigset_t profiling;
      ::sigemptyset(&profiling);
      ::sigaddset(&profiling, SIGPROF);
      ::pthread_sigmask(SIG_BLOCK, &profiling, nullptr);
      blocked = true;
    }
    of_many(1);
  });
  while (!blocked) std::this_thread::yield();
  const auto profile = cpu_profile({.duration = milliseconds(300), .frequency = 1000}, {});
  ASSERT_TRUE(profile);
  EXPECT_GT(profile->lost, 20);
}

}  // namespace
}  // namespace symcached::pprof
