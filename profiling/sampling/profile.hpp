#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace symcached::pprof {

/// What a sampler counts.
enum class Kind : std::uint8_t {
  cpu,         ///< time on a CPU
  pmu,         ///< events of the CPU's or the kernel's counters
  heap,        ///< memory in use, and allocated since the start
  growth,      ///< memory that the allocator took from the system
  contention,  ///< time spent waiting for locks
  threads      ///< where each thread is now
};

/// One stack, and what was counted there. Equal stacks are one sample, except in growth profiles, newest first.
struct Sample {
  /// Addresses in this process, the innermost first. Return addresses, which lie behind their calls; for cpu, pmu and
  /// threads, the first is where the thread was interrupted instead. Never empty, never 0 in front; at most kMaxFrames.
  std::vector<std::uintptr_t> stack;
  std::int64_t count = 0;  ///< samples; heap and growth: objects or regions in use; contention: waits; threads: threads
  std::int64_t value = 0;  ///< cpu, contention: nanoseconds; pmu: events; heap, growth: bytes in use; threads: 0
  std::int64_t allocated_count = 0;  ///< heap: objects allocated since the start; 0 if the allocator does not tell
  std::int64_t allocated_bytes = 0;  ///< heap: their bytes

  friend bool operator==(const Sample&, const Sample&) = default;
};

inline constexpr std::size_t kMaxFrames = 254;

/// What a sampler has seen, as it counted it: heap samples are not scaled to what was not sampled.
struct Profile {
  Kind kind = Kind::cpu;
  std::vector<Sample> samples;
  /// cpu: nanoseconds between samples; pmu: events between samples; heap: mean bytes between samples, 1 if all are
  /// counted; else 1
  std::int64_t period = 1;
  std::string event;                              ///< pmu: its name, as the kernel was asked for it
  std::int64_t lost = 0;                          ///< samples that could not be kept
  std::chrono::system_clock::time_point start{};  ///< of what was counted
  std::chrono::nanoseconds duration{};            ///< 0: since the program began, or one moment
};

/// Why there is no profile, for whoever asked.
struct Refusal {
  int status = 500;     ///< of HTTP
  std::string reason;   ///< one line or several, in plain English, with what can be done about it
  int retry_after = 0;  ///< seconds; 0: unknown

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

template <class T>
using Answer = std::expected<T, Refusal>;

}  // namespace symcached::pprof
