#pragma once
/// Everything that pages are made from, so that tests can put something else in its place.
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// None is empty. What the functions are for: collect.hpp, naming.hpp.
struct Sources {
  std::function<Answer<Profile>(CpuOptions, std::stop_token)> cpu;
  std::function<Answer<Profile>(PmuOptions, std::stop_token)> pmu;
  std::function<std::vector<std::string>()> events;
  std::function<Answer<Profile>()> heap;
  std::function<Answer<Profile>()> growth;
  std::function<Answer<Profile>(std::optional<std::chrono::milliseconds>, std::stop_token)> contention;
  std::function<Answer<Profile>()> threads;
  std::function<std::vector<MappedModule>()> modules;
  std::shared_ptr<Naming> naming;
};

/// The samplers and the names of this process. All that ask share one Naming.
Sources this_process();

}  // namespace symcached::pprof
