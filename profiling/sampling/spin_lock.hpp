#pragma once
/// A lock for a few instructions, in code that runs inside of malloc or pthread_mutex_lock.
#include <sched.h>

#include <atomic>

namespace symcached::pprof {

class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries >= 100) ::sched_yield();
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace symcached::pprof
