#include "profiling/sampling/stack_counter.hpp"

#include <algorithm>
#include <tuple>

namespace symcached::pprof {

std::vector<Sample> StackCounter::samples(std::int64_t value) const {
  std::vector<Sample> all;
  all.reserve(counts_.size());
  for (const auto& [stack, count] : counts_) all.push_back({.stack = stack, .count = count, .value = count * value});
  std::ranges::sort(
      all, [](const Sample& a, const Sample& b) { return std::tie(b.count, a.stack) < std::tie(a.count, b.stack); });
  return all;
}

}  // namespace symcached::pprof
