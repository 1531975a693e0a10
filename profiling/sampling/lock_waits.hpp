#pragma once
/// What threads have waited for locks, as lock_hook.cpp sees it.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Whether the hooks look at more than this; that of pthread_mutex_lock has a switch of its own.
[[gnu::visibility("hidden")]] extern std::atomic<bool> lock_waits_measured;

/// Waits of this many nanoseconds and more are all counted; of shorter ones a share as large as theirs of this, each
/// of which stands for as many. Time and number are right on average, and a thread walks its stack, which it does with
/// the lock in its hands, at most once in so long a wait.
inline constexpr std::int64_t kWholeWait = 1'000'000;

/// Counts a wait of the calling thread. Allocates nothing. @param caller  the address where the hook returns to
void count_lock_wait(std::int64_t nanoseconds, std::uintptr_t caller) noexcept;

/// Has the hooks measure for as long as one of these lives.
class LockWaitMeasuring {
 public:
  LockWaitMeasuring();
  ~LockWaitMeasuring();
  LockWaitMeasuring(const LockWaitMeasuring&) = delete;
  LockWaitMeasuring& operator=(const LockWaitMeasuring&) = delete;
};

/// Has them measure from now on, for as long as the program runs.
void measure_lock_waits_for_good();

struct LockWaits {
  std::vector<Sample> samples;
  std::int64_t lost = 0;
  std::chrono::system_clock::time_point since{};  ///< when measuring began for the first time
};
/// All that has been counted so far.
LockWaits lock_waits();

/// Has pthread_mutex_lock look at waits or not, for which it needs no flag. The other hooks look at
/// lock_waits_measured.
void switch_mutex_hook(bool measure) noexcept;

/// Whether the hooks are in this build at all, and calls of pthread_mutex_lock reach them while they measure.
/// @return why not; empty if all is well
std::string lock_hook_problem();

}  // namespace symcached::pprof
