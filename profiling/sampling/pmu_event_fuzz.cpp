#include "profiling/sampling/pmu_event.hpp"

/// Any text as the name of an event: it is found, or refused with 400.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  const auto event = find_event({reinterpret_cast<const char*>(data), size});
  if (!event && (event.error().status != 400 || event.error().reason.empty())) __builtin_trap();
  if (event && (event->least_period > event->usual_period || (!event->user && !event->kernel))) __builtin_trap();
  return 0;
}
