#include <algorithm>
#include <map>

#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/lock_waits.hpp"
#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

/// What was added since `before`.
std::vector<Sample> difference(const std::vector<Sample>& before, std::vector<Sample> after) {
  std::map<std::vector<std::uintptr_t>, const Sample*> known;
  for (const Sample& sample : before) known[sample.stack] = &sample;
  for (Sample& sample : after) {
    const auto was = known.find(sample.stack);
    if (was == known.end()) continue;
    sample.count -= was->second->count;
    sample.value -= was->second->value;
  }
  std::erase_if(after, [](const Sample& sample) { return sample.count == 0; });
  return after;
}

Profile to_profile(LockWaits waits) {
  std::ranges::sort(waits.samples, [](const Sample& a, const Sample& b) { return a.value > b.value; });
  Profile profile{.kind = Kind::contention, .samples = std::move(waits.samples)};
  profile.lost = waits.lost;
  profile.start = waits.since;
  return profile;
}

}  // namespace

Answer<Profile> contention_profile(std::optional<std::chrono::milliseconds> duration, std::stop_token stop) {
  if (!unwinder_problem().empty()) return std::unexpected(Refusal{501, unwinder_problem()});
  if (duration && duration->count() <= 0) return std::unexpected(Refusal{400, "the duration must be above 0"});
  const LockWaitMeasuring measuring;
  if (const std::string problem = lock_hook_problem(); !problem.empty())
    return std::unexpected(Refusal{501, "waits for locks cannot be measured: " + problem});
  if (!duration) {
    measure_lock_waits_for_good();
    return to_profile(lock_waits());
  }
  const auto start = std::chrono::system_clock::now();
  const auto clock = std::chrono::steady_clock::now();
  const LockWaits before = lock_waits();
  wait_until(clock + *duration, stop);
  LockWaits after = lock_waits();
  after.samples = difference(before.samples, std::move(after.samples));
  after.lost -= before.lost;
  after.since = start;
  Profile profile = to_profile(std::move(after));
  profile.duration = std::chrono::steady_clock::now() - clock;
  return profile;
}

}  // namespace symcached::pprof
