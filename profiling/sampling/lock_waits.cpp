#include "profiling/sampling/lock_waits.hpp"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <span>

#include "profiling/sampling/spin_lock.hpp"
#include "profiling/sampling/stack_table.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {

constinit std::atomic<bool> lock_waits_measured{false};

namespace {

constinit StackTable table;
constinit SpinLock table_lock;
std::atomic<std::int64_t> lost{0};
constinit SpinLock measuring_lock;
int measuring = 0;
std::atomic<std::int64_t> began{0};  ///< of the system clock
/// Set while this thread counts: what it locks meanwhile is ours, or a signal handler's.
[[gnu::tls_model("initial-exec")]] thread_local bool counting = false;
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t random_state = 0;

/// Uniform, 0 to below `end`.
std::int64_t random_below(std::int64_t end) {
  if (random_state == 0) random_state = reinterpret_cast<std::uintptr_t>(&random_state) | 1;
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return static_cast<std::int64_t>((random_state >> 1) % static_cast<std::uint64_t>(end));
}

void lock_before_fork() {
  counting = true;
  measuring_lock.lock();
  table_lock.lock();
}

void unlock_after_fork() {
  table_lock.unlock();
  measuring_lock.unlock();
  counting = false;
}

void change_measuring(int by) {
  const std::lock_guard guard(measuring_lock);
  measuring += by;
  lock_waits_measured = measuring != 0;
  switch_mutex_hook(measuring != 0);
}

void begin_measuring() {
  unwinder_problem();  // the first walk may allocate
  std::int64_t never = 0;
  if (began.compare_exchange_strong(never, std::chrono::system_clock::now().time_since_epoch().count()))
    ::pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
  change_measuring(1);
}

}  // namespace

void count_lock_wait(std::int64_t nanoseconds, std::uintptr_t caller) noexcept {
  if (counting || nanoseconds <= 0) return;
  const bool whole = nanoseconds >= kWholeWait;
  if (!whole && random_below(kWholeWait) >= nanoseconds) return;
  const int error = errno;
  counting = true;
  std::array<std::uintptr_t, kMaxFrames> frames;
  const std::size_t depth = walk_stack(caller, frames);
  {
    const std::lock_guard guard(table_lock);
    if (const std::uint32_t number = table.number(std::span(frames).first(depth))) {
      StackTable::Totals& totals = table.totals(number);
      totals.count += whole ? 1 : (kWholeWait + nanoseconds / 2) / nanoseconds;
      totals.value += whole ? nanoseconds : kWholeWait;
    } else {
      lost.fetch_add(1, std::memory_order_relaxed);
    }
  }
  counting = false;
  errno = error;
}

LockWaitMeasuring::LockWaitMeasuring() { begin_measuring(); }

LockWaitMeasuring::~LockWaitMeasuring() { change_measuring(-1); }

void measure_lock_waits_for_good() {
  static std::atomic<bool> begun{false};
  if (!begun.exchange(true)) begin_measuring();
}

LockWaits lock_waits() {
  using Clock = std::chrono::system_clock;
  LockWaits waits{.since = Clock::time_point(Clock::duration(began.load()))};
  waits.samples = copy_samples(table, table_lock);
  waits.lost = lost;
  return waits;
}

}  // namespace symcached::pprof
