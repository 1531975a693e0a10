#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
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

std::int64_t time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// Each does its own work until `working` ends and says what time it used; then it stays, as a clock ends with its
/// thread.
class Many {
 public:
  static constexpr int kThreads = 64;
  static constexpr std::int64_t kEach = 10'000'000;

  struct Work {
    void (*function)(int) = nullptr;
    std::int64_t used = 0;
  };

  Many() {
    [&]<int... thread>(std::integer_sequence<int, thread...>) {
      ((all_[thread].function = of_one<thread>), ...);
    }(std::make_integer_sequence<int, kThreads>());
    for (Work& each : all_) threads_.emplace_back([&](const std::stop_token& stop) { work(each, stop); });
  }
  void run_until_all_used_enough() {
    working_ = true;
    for (std::jthread& thread : threads_)
      while (used_by(thread) < kEach) std::this_thread::sleep_for(milliseconds(5));
    working_ = false;
    while (done_ < kThreads) std::this_thread::sleep_for(milliseconds(1));
  }
  const std::array<Work, kThreads>& all() const { return all_; }

 private:
  void work(Work& mine, const std::stop_token& stop) {
    while (!working_) std::this_thread::sleep_for(milliseconds(1));
    const std::int64_t before = time_of(CLOCK_THREAD_CPUTIME_ID);
    // Without a look at the clock: Linux takes the CPU away there, if the time is up, and then each sample is there.
    while (working_) mine.function(1);
    mine.used = time_of(CLOCK_THREAD_CPUTIME_ID) - before;
    ++done_;
    while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(5));
  }
  static std::int64_t used_by(std::jthread& thread) {
    clockid_t clock{};
    return ::pthread_getcpuclockid(thread.native_handle(), &clock) == 0 ? time_of(clock) : 0;
  }

  std::atomic<bool> working_{false};
  std::atomic<int> done_{0};
  std::array<Work, kThreads> all_;
  std::vector<std::jthread> threads_;  ///< the first to be destroyed
};

TEST(CpuProfile, CountsTheTimeOfEachOfManyThreads) {
  // Each uses the time of five samples or more, in few of the kernel's ticks, at which it may not be on a CPU.
  Many many;
  std::stop_source stop;
  Answer<Profile> profile;
  std::jthread profiler(
      [&] { profile = cpu_profile({.duration = milliseconds(60'000), .frequency = 500}, stop.get_token()); });
  std::this_thread::sleep_for(milliseconds(200));  // the profile begins
  many.run_until_all_used_enough();
  stop.request_stop();
  profiler.join();
  ASSERT_TRUE(profile) << profile.error().reason;
  if (kSanitized) return;
  const auto samples = static_cast<double>(total(*profile));
  double expected = 0;
  for (const Many::Work& work : many.all()) {
    const double of_work = static_cast<double>(work.used) / static_cast<double>(profile->period);
    expected += of_work;
    EXPECT_NEAR(share(*profile, work.function) / 100 * samples, of_work, 2 + of_work / 4);
  }
  EXPECT_NEAR(samples / expected, 1, 0.1);
  EXPECT_LT(profile->lost, total(*profile) / 10);
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
