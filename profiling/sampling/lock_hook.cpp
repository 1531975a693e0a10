/// Stands before the C library's functions that wait for locks. While nobody measures, each only passes the call on.
/// Otherwise it tries first, and takes the time of what it has to wait for.
#include "profiling/sampling/lock_waits.hpp"

#if defined(__SANITIZE_THREAD__)
#define SC_LOCK_HOOK 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SC_LOCK_HOOK 0
#endif
#endif
#ifndef SC_LOCK_HOOK
#define SC_LOCK_HOOK 1
#endif

#if SC_LOCK_HOOK

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "profiling/sampling/next_function.hpp"

using Mutex = pthread_mutex_t;
using ReadWrite = pthread_rwlock_t;
using Condition = pthread_cond_t;

// The C library's own names of what it calls. Shared, it does not give them to others; in a static program they are all
// there is, as far as the program uses them.
extern "C" {
[[gnu::weak]] int ___pthread_mutex_lock(Mutex*) noexcept;
[[gnu::weak]] int ___pthread_mutex_timedlock(Mutex*, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_mutex_clocklock(Mutex*, clockid_t, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_rdlock(ReadWrite*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_timedrdlock(ReadWrite*, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_clockrdlock(ReadWrite*, clockid_t, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_wrlock(ReadWrite*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_timedwrlock(ReadWrite*, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_rwlock_clockwrlock(ReadWrite*, clockid_t, const timespec*) noexcept;
[[gnu::weak]] int ___pthread_cond_signal(Condition*) noexcept;
[[gnu::weak]] int ___pthread_cond_broadcast(Condition*) noexcept;
[[gnu::weak]] int ___pthread_cond_wait(Condition*, Mutex*);
[[gnu::weak]] int ___pthread_cond_timedwait(Condition*, Mutex*, const timespec*);
[[gnu::weak]] int ___pthread_cond_clockwait(Condition*, Mutex*, clockid_t, const timespec*);
}

namespace symcached::pprof {
namespace {

constinit NextFunction<int(Mutex*) noexcept> mutex_lock{"pthread_mutex_lock", ___pthread_mutex_lock};
constinit NextFunction<int(Mutex*) noexcept> mutex_trylock{"pthread_mutex_trylock", ::pthread_mutex_trylock};
constinit NextFunction<int(Mutex*, const timespec*) noexcept> mutex_timedlock{"pthread_mutex_timedlock",
                                                                              ___pthread_mutex_timedlock};
constinit NextFunction<int(Mutex*, clockid_t, const timespec*) noexcept> mutex_clocklock{"pthread_mutex_clocklock",
                                                                                         ___pthread_mutex_clocklock};
constinit NextFunction<int(ReadWrite*) noexcept> rdlock{"pthread_rwlock_rdlock", ___pthread_rwlock_rdlock};
constinit NextFunction<int(ReadWrite*) noexcept> tryrdlock{"pthread_rwlock_tryrdlock", ::pthread_rwlock_tryrdlock};
constinit NextFunction<int(ReadWrite*, const timespec*) noexcept> timedrdlock{"pthread_rwlock_timedrdlock",
                                                                              ___pthread_rwlock_timedrdlock};
constinit NextFunction<int(ReadWrite*, clockid_t, const timespec*) noexcept> clockrdlock{"pthread_rwlock_clockrdlock",
                                                                                         ___pthread_rwlock_clockrdlock};
constinit NextFunction<int(ReadWrite*) noexcept> wrlock{"pthread_rwlock_wrlock", ___pthread_rwlock_wrlock};
constinit NextFunction<int(ReadWrite*) noexcept> trywrlock{"pthread_rwlock_trywrlock", ::pthread_rwlock_trywrlock};
constinit NextFunction<int(ReadWrite*, const timespec*) noexcept> timedwrlock{"pthread_rwlock_timedwrlock",
                                                                              ___pthread_rwlock_timedwrlock};
constinit NextFunction<int(ReadWrite*, clockid_t, const timespec*) noexcept> clockwrlock{"pthread_rwlock_clockwrlock",
                                                                                         ___pthread_rwlock_clockwrlock};
constinit NextFunction<int(Condition*) noexcept> cond_signal{"pthread_cond_signal", ___pthread_cond_signal};
constinit NextFunction<int(Condition*) noexcept> cond_broadcast{"pthread_cond_broadcast", ___pthread_cond_broadcast};
constinit NextFunction<int(Condition*, Mutex*)> cond_wait{"pthread_cond_wait", ___pthread_cond_wait};
constinit NextFunction<int(Condition*, Mutex*, const timespec*)> cond_timedwait{"pthread_cond_timedwait",
                                                                                ___pthread_cond_timedwait};
constinit NextFunction<int(Condition*, Mutex*, clockid_t, const timespec*)> cond_clockwait{"pthread_cond_clockwait",
                                                                                           ___pthread_cond_clockwait};

[[gnu::tls_model("initial-exec")]] thread_local bool reached = false;

bool measured() noexcept { return __builtin_expect(lock_waits_measured.load(std::memory_order_relaxed), 0); }

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

std::int64_t now(clockid_t clock = CLOCK_MONOTONIC) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return nanoseconds(time);
}

/// Locks as `wait` does, which is tried before by `attempt`. Not inlined, so that the hooks need no stack of their own
/// while nobody measures.
template <class Attempt, class Wait>
[[gnu::noinline]] int lock(Attempt attempt, Wait wait, void* caller) noexcept {
  reached = true;
  const int tried = attempt();
  if (tried == 0 || tried == EOWNERDEAD) return tried;
  if (tried != EBUSY) return wait();
  const std::int64_t start = now();
  const int result = wait();
  count_lock_wait(now() - start, reinterpret_cast<std::uintptr_t>(caller));
  return result;
}

// The hook that is called most only jumps to where this points: at first here, then to the next function or to the one
// that measures.
int first_mutex_lock(Mutex* mutex) noexcept;
using MutexLock = int (*)(Mutex*) noexcept;
constinit std::atomic<MutexLock> current_mutex_lock{first_mutex_lock};

int first_mutex_lock(Mutex* mutex) noexcept {
  MutexLock expected = first_mutex_lock;
  current_mutex_lock.compare_exchange_strong(expected, mutex_lock.get(), std::memory_order_relaxed);
  return mutex_lock.get()(mutex);
}

int measured_mutex_lock(Mutex* mutex) noexcept {
  return lock([=] { return mutex_trylock.get()(mutex); }, [=] { return mutex_lock.get()(mutex); },
              __builtin_return_address(0));
}

// How long a condition's waiter waits for its mutex, after it was woken, can be seen from outside only as the time
// since somebody woke it. That includes the time until it runs again: what is shorter than this is left out.
constexpr std::int64_t kWakingUp = 200'000;

/// When a condition was signalled last. Two conditions may have the same place; then the later takes it.
struct Signalled {
  std::atomic<const void*> condition{nullptr};
  std::atomic<std::int64_t> time{0};
};
constinit std::array<Signalled, 1024> signalled;

Signalled& place_of(const void* condition) {
  return signalled[(reinterpret_cast<std::uintptr_t>(condition) * 0x9e3779b97f4a7c15) >> 54];
}

void note_signal(const void* condition) noexcept {
  Signalled& place = place_of(condition);
  place.condition.store(nullptr, std::memory_order_relaxed);
  place.time.store(now(), std::memory_order_release);
  place.condition.store(condition, std::memory_order_release);
}

/// @param deadline  null if there was none
/// Not noexcept, and neither are its callers: a thread that is cancelled while it waits is unwound.
template <class Wait>
int wait_for_signal(const void* condition, Wait wait, clockid_t clock, const timespec* deadline, void* caller) {
  const std::int64_t start = now();
  const int result = wait();
  const std::int64_t end = now();
  std::int64_t waited = 0;
  const Signalled& place = place_of(condition);
  if (result == ETIMEDOUT && deadline != nullptr) waited = now(clock) - nanoseconds(*deadline);
  else if (place.condition.load(std::memory_order_acquire) == condition)
    waited = end - place.time.load(std::memory_order_acquire);
  // More than the whole wait: the deadline is on another clock, or had passed before, or the signal was before.
  if (waited >= kWakingUp && waited <= end - start) count_lock_wait(waited, reinterpret_cast<std::uintptr_t>(caller));
  return result;
}

/// For those who want to measure from the start, with SYMCACHED_PPROF_CONTENTION=1.
[[gnu::constructor]] void measure_from_start() {
  const char* wanted = std::getenv("SYMCACHED_PPROF_CONTENTION");
  if (wanted != nullptr && *wanted != '\0' && *wanted != '0') measure_lock_waits_for_good();
}

}  // namespace

void switch_mutex_hook(bool measure) noexcept {
  current_mutex_lock.store(measure ? measured_mutex_lock : mutex_lock.get(), std::memory_order_relaxed);
}

std::string lock_hook_problem() {
  // Not by its name here, which the compiler may bind to the function in this file.
  const auto found = reinterpret_cast<int (*)(Mutex*)>(::dlsym(RTLD_DEFAULT, "pthread_mutex_lock"));
  Mutex mutex = PTHREAD_MUTEX_INITIALIZER;
  reached = false;
  if (found == nullptr || found(&mutex) != 0) return "pthread_mutex_lock cannot be called";
  ::pthread_mutex_unlock(&mutex);
  if (reached) return {};
  return "calls of pthread_mutex_lock do not reach this library: link it to the program, or load it with LD_PRELOAD";
}

}  // namespace symcached::pprof

using namespace symcached::pprof;  // NOLINT(google-build-using-namespace)

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_lock(Mutex* mutex) noexcept { return current_mutex_lock.load(std::memory_order_relaxed)(mutex); }

int pthread_mutex_timedlock(Mutex* mutex, const timespec* until) noexcept {
  if (!measured()) return mutex_timedlock.get()(mutex, until);
  return lock([=] { return mutex_trylock.get()(mutex); }, [=] { return mutex_timedlock.get()(mutex, until); },
              __builtin_return_address(0));
}

int pthread_mutex_clocklock(Mutex* mutex, clockid_t clock, const timespec* until) noexcept {
  if (!measured()) return mutex_clocklock.get()(mutex, clock, until);
  return lock([=] { return mutex_trylock.get()(mutex); }, [=] { return mutex_clocklock.get()(mutex, clock, until); },
              __builtin_return_address(0));
}

int pthread_rwlock_rdlock(ReadWrite* mutex) noexcept {
  if (!measured()) return rdlock.get()(mutex);
  return lock([=] { return tryrdlock.get()(mutex); }, [=] { return rdlock.get()(mutex); }, __builtin_return_address(0));
}

int pthread_rwlock_timedrdlock(ReadWrite* mutex, const timespec* until) noexcept {
  if (!measured()) return timedrdlock.get()(mutex, until);
  return lock([=] { return tryrdlock.get()(mutex); }, [=] { return timedrdlock.get()(mutex, until); },
              __builtin_return_address(0));
}

int pthread_rwlock_clockrdlock(ReadWrite* mutex, clockid_t clock, const timespec* until) noexcept {
  if (!measured()) return clockrdlock.get()(mutex, clock, until);
  return lock([=] { return tryrdlock.get()(mutex); }, [=] { return clockrdlock.get()(mutex, clock, until); },
              __builtin_return_address(0));
}

int pthread_rwlock_wrlock(ReadWrite* mutex) noexcept {
  if (!measured()) return wrlock.get()(mutex);
  return lock([=] { return trywrlock.get()(mutex); }, [=] { return wrlock.get()(mutex); }, __builtin_return_address(0));
}

int pthread_rwlock_timedwrlock(ReadWrite* mutex, const timespec* until) noexcept {
  if (!measured()) return timedwrlock.get()(mutex, until);
  return lock([=] { return trywrlock.get()(mutex); }, [=] { return timedwrlock.get()(mutex, until); },
              __builtin_return_address(0));
}

int pthread_rwlock_clockwrlock(ReadWrite* mutex, clockid_t clock, const timespec* until) noexcept {
  if (!measured()) return clockwrlock.get()(mutex, clock, until);
  return lock([=] { return trywrlock.get()(mutex); }, [=] { return clockwrlock.get()(mutex, clock, until); },
              __builtin_return_address(0));
}

int pthread_cond_signal(Condition* condition) noexcept {
  if (measured()) note_signal(condition);
  return cond_signal.get()(condition);
}

int pthread_cond_broadcast(Condition* condition) noexcept {
  if (measured()) note_signal(condition);
  return cond_broadcast.get()(condition);
}

int pthread_cond_wait(Condition* condition, Mutex* mutex) {
  if (!measured()) return cond_wait.get()(condition, mutex);
  return wait_for_signal(
      condition, [=] { return cond_wait.get()(condition, mutex); }, CLOCK_MONOTONIC, nullptr,
      __builtin_return_address(0));
}

int pthread_cond_timedwait(Condition* condition, Mutex* mutex, const timespec* until) {
  if (!measured()) return cond_timedwait.get()(condition, mutex, until);
  return wait_for_signal(
      condition, [=] { return cond_timedwait.get()(condition, mutex, until); }, CLOCK_REALTIME, until,
      __builtin_return_address(0));
}

int pthread_cond_clockwait(Condition* condition, Mutex* mutex, clockid_t clock, const timespec* until) {
  if (!measured()) return cond_clockwait.get()(condition, mutex, clock, until);
  return wait_for_signal(
      condition, [=] { return cond_clockwait.get()(condition, mutex, clock, until); }, clock, until,
      __builtin_return_address(0));
}
}  // extern "C"
#pragma GCC visibility pop

#else

namespace symcached::pprof {

void switch_mutex_hook(bool) noexcept {}

std::string lock_hook_problem() {
  return "this program is built with the thread sanitizer, which needs the functions for locks for itself";
}

}  // namespace symcached::pprof

#endif
