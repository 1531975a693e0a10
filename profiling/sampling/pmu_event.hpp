#pragma once
/// Names of what the CPU and the kernel count.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// An event as perf_event_open(2) wants it.
struct PmuEvent {
  std::string name;  ///< with its modifiers
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  bool user = true, kernel = false;  ///< where it is counted
  std::uint64_t usual_period = 0, least_period = 0;

  friend bool operator==(const PmuEvent&, const PmuEvent&) = default;
};

/// A name that the kernel has for each machine, or for itself.
struct GenericEvent {
  std::string_view name, other_name;
  std::uint32_t type;
  std::uint64_t config;
  std::uint64_t usual_period, least_period;  ///< in events; clocks count nanoseconds
  bool of_kernel = false;                    ///< happens in the kernel, whoever caused it: never counted for user code
};
std::span<const GenericEvent> generic_events();
PmuEvent to_event(const GenericEvent& generic);

/// Finds `NAME[:MASK...][:u][:k]`: a generic name in any case, `rNNNN` with a raw code in hexadecimal, or what libpfm4
/// knows, if it is installed. Counted for user code unless :k is there. Decimal masks are as good as hexadecimal ones.
/// @return refused with 400 and what is wrong
Answer<PmuEvent> find_event(std::string_view text);

/// What libpfm4 makes of a name with masks. @return refused with 400 if it is not installed, or does not know it
Answer<PmuEvent> ask_libpfm(const std::string& text);

}  // namespace symcached::pprof
