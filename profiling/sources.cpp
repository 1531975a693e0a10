#include "profiling/sources.hpp"

namespace symcached::pprof {

Sources this_process() {
  // Never destroyed: a thread of a server may still ask while the program's static objects are being destroyed.
  static const auto* const naming = new std::shared_ptr<Naming>(usual_naming());
  return {cpu_profile,        pmu_profile,     usable_events,  heap_profile, growth_profile,
          contention_profile, threads_profile, mapped_modules, *naming};
}

}  // namespace symcached::pprof
