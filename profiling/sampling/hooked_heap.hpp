#pragma once
/// What profiling/malloc_hook/ knows, in programs that it is linked to.
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

struct HookedHeap {
  std::string off;        ///< why nothing is sampled; empty if it is
  std::int64_t rate = 0;  ///< mean bytes between samples; 1: all are
  std::vector<Sample> samples;
  std::int64_t lost = 0;
};

/// Its address is null where the hook is not linked.
[[gnu::weak]] HookedHeap hooked_heap();

}  // namespace symcached::pprof
