#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/lock_waits.hpp"

namespace symcached::pprof {
namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SC_NO_LOCK_HOOK
#endif
#endif
#ifdef SC_NO_LOCK_HOOK

TEST(Contention, SaysWhyNotUnderTheThreadSanitizer) {
  const auto profile = contention_profile({}, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().status, 501);
}

#else

using std::chrono::milliseconds;

constexpr int kWaits = 8;
constexpr milliseconds kHeld{8};

std::mutex plain;
std::timed_mutex timed;
std::shared_mutex shared;
std::shared_timed_mutex shared_timed;
std::condition_variable condition;
std::atomic<int> coming{0};
bool signalled = false;

timespec in_a_minute(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  time.tv_sec += 60;
  return time;
}

// Each says that it comes, waits for a lock, and lets it go.
__attribute__((noinline, aligned(512))) void wait_plain() {
  ++coming;
  const std::lock_guard guard(plain);
}
__attribute__((noinline, aligned(512))) void wait_timed() {
  ++coming;
  if (timed.try_lock_for(std::chrono::minutes(1))) timed.unlock();
}
__attribute__((noinline, aligned(512))) void wait_until_real_time() {
  const timespec until = in_a_minute(CLOCK_REALTIME);
  ++coming;
  if (::pthread_mutex_timedlock(plain.native_handle(), &until) == 0) plain.unlock();
}
__attribute__((noinline, aligned(512))) void wait_to_write() {
  ++coming;
  const std::lock_guard guard(shared);
}
__attribute__((noinline, aligned(512))) void wait_to_read() {
  ++coming;
  const std::shared_lock guard(shared);
}
__attribute__((noinline, aligned(512))) void wait_to_write_timed() {
  ++coming;
  if (shared_timed.try_lock_for(std::chrono::minutes(1))) shared_timed.unlock();
}
__attribute__((noinline, aligned(512))) void wait_to_read_timed() {
  ++coming;
  if (shared_timed.try_lock_shared_for(std::chrono::minutes(1))) shared_timed.unlock_shared();
}

struct Seen {
  std::int64_t count = 0, nanoseconds = 0;
};

Seen seen_in(const Profile& profile, void (*function)()) {
  const auto begin = reinterpret_cast<std::uintptr_t>(function);
  Seen seen;
  for (const Sample& sample : profile.samples) {
    if (std::ranges::none_of(sample.stack, [&](std::uintptr_t address) { return address - begin < 512; })) continue;
    seen.count += sample.count;
    seen.nanoseconds += sample.value;
  }
  return seen;
}

Profile since_the_start() {
  const auto profile = contention_profile({}, {});
  if (!profile) ADD_FAILURE() << profile.error().reason;
  return profile.value_or(Profile{});
}

/// Holds a lock until its waiter comes, and for kHeld from then on.
template <class Lock>
void hold(Lock& lock, void (*wait)()) {
  for (int i = 0; i < kWaits; ++i) {
    std::unique_lock guard(lock);
    coming = 0;
    std::jthread waiter(wait);
    while (coming == 0) std::this_thread::yield();
    std::this_thread::sleep_for(kHeld);
    guard.unlock();
  }
}

TEST(Contention, CountsTheWaitsForEachKindOfLock) {
  struct Row {
    std::string_view why;
    void (*wait)();
    std::function<void()> meet;
  };
  const Row rows[] = {
      {"mutex", wait_plain, [] { hold(plain, wait_plain); }},
      {"mutex with a deadline of the real time", wait_until_real_time, [] { hold(plain, wait_until_real_time); }},
      {"mutex with a deadline of a clock", wait_timed, [] { hold(timed, wait_timed); }},
      {"to write", wait_to_write, [] { hold(shared, wait_to_write); }},
      {"to read", wait_to_read, [] { hold(shared, wait_to_read); }},
      {"to write with a deadline", wait_to_write_timed, [] { hold(shared_timed, wait_to_write_timed); }},
      {"to read with a deadline", wait_to_read_timed, [] { hold(shared_timed, wait_to_read_timed); }},
  };
  for (const Row& r : rows) {
    const Seen before = seen_in(since_the_start(), r.wait);
    r.meet();
    const Seen after = seen_in(since_the_start(), r.wait);
    EXPECT_NEAR(static_cast<double>(after.count - before.count), kWaits, 2) << r.why;  // one that came late waited less
    EXPECT_GT(after.nanoseconds - before.nanoseconds, kWaits * std::chrono::nanoseconds(kHeld).count() * 6 / 10)
        << r.why;
  }
}

__attribute__((noinline, aligned(512))) void wait_for_condition() {
  std::unique_lock guard(plain);
  ++coming;
  condition.wait(guard, [] { return signalled; });
}

TEST(Contention, CountsTheWaitForTheMutexAfterASignal) {
  const Seen before = seen_in(since_the_start(), wait_for_condition);
  signalled = false;
  coming = 0;
  std::jthread waiter(wait_for_condition);
  while (coming == 0) std::this_thread::yield();
  {
    const std::lock_guard guard(plain);
    std::this_thread::sleep_for(milliseconds(50));  // is not counted: nobody has woken it yet
    signalled = true;
    condition.notify_one();
    std::this_thread::sleep_for(milliseconds(20));
  }
  waiter.join();
  const Seen after = seen_in(since_the_start(), wait_for_condition);
  EXPECT_EQ(after.count - before.count, 1);
  EXPECT_GE(after.nanoseconds - before.nanoseconds, 16'000'000);
}

TEST(Contention, OfAWhileIsOnlyWhatWasThen) {
  hold(plain, wait_plain);
  std::stop_source stop;
  Answer<Profile> during;
  std::jthread profiler([&] { during = contention_profile(milliseconds(60'000), stop.get_token()); });
  const auto quiet = contention_profile(milliseconds(30), {});
  hold(plain, wait_plain);
  stop.request_stop();
  profiler.join();
  ASSERT_TRUE(quiet && during);
  EXPECT_EQ(seen_in(*quiet, wait_plain).count, 0);
  EXPECT_NEAR(static_cast<double>(seen_in(*during, wait_plain).count), kWaits, 2);
  EXPECT_GT(during->duration, kWaits * kHeld);
}

TEST(Contention, ShortWaitsCountForThoseThatAreNotSeen) {
  const Seen before = seen_in(since_the_start(), wait_plain);
  std::int64_t all = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::int64_t wait = 10'000 + i % 100 * 1'000;  // 10 to 109 us
    all += wait;
    count_lock_wait(wait, reinterpret_cast<std::uintptr_t>(wait_plain) + 1);
  }
  const Seen after = seen_in(since_the_start(), wait_plain);
  EXPECT_NEAR(static_cast<double>(after.count - before.count), 40'000, 6'000);
  EXPECT_NEAR(static_cast<double>(after.nanoseconds - before.nanoseconds), static_cast<double>(all), 0.1 * 2.4e9);
}

TEST(Contention, LocksKeepTheirAnswers) {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  pthread_mutex_t mutex;
  ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  ::pthread_mutex_init(&mutex, &attributes);
  EXPECT_EQ(::pthread_mutex_lock(&mutex), 0);
  EXPECT_EQ(::pthread_mutex_lock(&mutex), EDEADLK);
  ::pthread_mutex_unlock(&mutex);
  ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  ::pthread_mutex_init(&mutex, &attributes);
  EXPECT_EQ(::pthread_mutex_lock(&mutex), 0);
  EXPECT_EQ(::pthread_mutex_lock(&mutex), 0);
  const timespec past{};
  std::jthread([&] { EXPECT_EQ(::pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT); });
  ::pthread_mutex_unlock(&mutex);
  ::pthread_mutex_unlock(&mutex);
  ::pthread_mutexattr_destroy(&attributes);
}

TEST(Contention, AForkedChildCanLock) {
  std::stop_source ended;
  const std::jthread other([&] {
    while (!ended.stop_requested()) count_lock_wait(kWholeWait, reinterpret_cast<std::uintptr_t>(wait_plain) + 1);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      count_lock_wait(kWholeWait, reinterpret_cast<std::uintptr_t>(wait_plain) + 1);
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ended.request_stop();
}

#endif

}  // namespace
}  // namespace symcached::pprof
