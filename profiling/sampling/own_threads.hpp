#pragma once
/// The threads of this process, as the kernel lists them.
#include <sys/types.h>

#include <chrono>
#include <stop_token>
#include <vector>

namespace symcached::pprof {

/// Ids of all threads, ascending. Empty if /proc is not there. Cost: about a microsecond a thread.
std::vector<pid_t> own_threads();

pid_t this_thread();

/// Whether a thread keeps the signal from being delivered to it.
bool blocks_signal(pid_t thread, int signal);

/// Waits until `time` or a request to stop. @return false if it was stopped
bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop);

}  // namespace symcached::pprof
