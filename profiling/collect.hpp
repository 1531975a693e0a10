#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "profiling/profile.hpp"

namespace symcached::pprof {

// Each of these may be called from any thread, any number at a time. Those that take time block the caller, and end
// early with what there is by then when `stop` is requested.

struct CpuOptions {
  std::chrono::milliseconds duration{30'000};
  unsigned frequency = 100;  ///< samples of each thread in a second of its CPU time; 1 to 4000
};
/// @return refused with 409 while another one is under way
Answer<Profile> cpu_profile(CpuOptions options, std::stop_token stop);

struct PmuOptions {
  std::string event;         ///< a name of libpfm4 or of perf, with unit masks and :u, :k
  std::uint64_t period = 0;  ///< events between samples; 0: what is usual for the event
  std::chrono::milliseconds duration{30'000};
};
Answer<Profile> pmu_profile(PmuOptions options, std::stop_token stop);
/// The events that this machine and kernel count for this process, tried once.
std::vector<std::string> usable_events();

/// Memory in use. @return refused with 501 if the allocator of the program keeps no account of it
Answer<Profile> heap_profile();
Answer<Profile> growth_profile();

/// Waits for locks since the program began, or since now when there is a duration.
Answer<Profile> contention_profile(std::optional<std::chrono::milliseconds> duration, std::stop_token stop);

/// The stack of each thread.
Answer<Profile> threads_profile();

}  // namespace symcached::pprof
