#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

// Each of these may be called from any thread, any number at a time. Those that take time block the caller, and end
// early with what there is by then when `stop` is requested. A child that is forked meanwhile samples nothing, and may
// begin anew. Besides the refusals below, all but the heap's and growth's are refused with 501 where the unwinder
// cannot be called in a signal handler (before glibc 2.35 and libgcc 12).

struct CpuOptions {
  std::chrono::milliseconds duration{30'000};
  unsigned frequency = 100;  ///< samples of each thread in a second of its CPU time; 1 to 4000
};
/// By a timer on the CPU time of each thread, so that the time of all CPUs is seen. The kernel looks at such timers
/// when its clock ticks, 100 to 1000 times a second: above that, one sample stands for several. Threads that block
/// SIGPROF cannot be sampled; what they used is in `lost`.
/// @return refused with 409 while another one is under way or a pmu_profile is, and where the program handles SIGPROF
/// itself; with 400 for options out of range
Answer<Profile> cpu_profile(CpuOptions options, std::stop_token stop);

struct PmuOptions {
  std::string event;         ///< a name of libpfm4 or of perf, with unit masks and :u, :k; user code unless :k is there
  std::uint64_t period = 0;  ///< events between samples; 0: what is usual for the event
  std::chrono::milliseconds duration{30'000};
};
/// What happens in the kernel is counted where the program called it.
/// @return refused as cpu_profile is; with 400 for a name, mask or period that cannot be, 501 where the machine does
/// not count that, 403 where the kernel forbids it, 503 where counters or descriptors are used up
Answer<Profile> pmu_profile(PmuOptions options, std::stop_token stop);
/// The events that this machine and kernel count for this process, tried once.
std::vector<std::string> usable_events();

/// Memory in use: by tcmalloc of gperftools if it samples, else by profiling/malloc_hook/ if it is linked.
/// @return refused with 501 if the allocator of the program keeps no account of it, 503 if tcmalloc was not told to
Answer<Profile> heap_profile();
/// What the allocator took from the system. @return refused with 501 unless that is tcmalloc of gperftools
Answer<Profile> growth_profile();

/// Waits for mutexes and read-write locks of pthreads, and for the mutex after a condition was signalled, charged to
/// the thread that waits. Without a duration: since measuring began, which is at the first such call, or at the start
/// of the program with SYMCACHED_PPROF_CONTENTION=1; it then goes on. With one: since now. Counts are not to be scaled:
/// short waits that are counted stand for those that are not. Locks that are no pthreads' are not seen, such as those
/// of futexes and atomics. Cost: while nobody measures, a flag is looked at for each lock; once somebody does, a lock
/// is tried before it is taken, and a thread walks its stack at most once in a millisecond of waiting
/// (bench/pprof_cost.py).
/// @return refused with 501 under the thread sanitizer, and where the program's calls do not reach this library
Answer<Profile> contention_profile(std::optional<std::chrono::milliseconds> duration, std::stop_token stop);

/// The stack of each thread. Sends each a real-time signal that the program does not use: poll, epoll_wait and sleeps
/// end early with EINTR, as with any handler. Threads that do not answer within half a second are in `lost`.
/// @return refused with 409 while another one is under way, or if the program uses all those signals
Answer<Profile> threads_profile();

}  // namespace symcached::pprof
