#include "profiling/profile_math.hpp"

#include <cmath>
#include <limits>
#include <map>

namespace symcached::pprof {
namespace {

/// To the next integer; what is too large stays at the largest.
std::int64_t rounded(double value) {
  constexpr double kMost = 9.2e18;
  if (!(value < kMost)) return std::numeric_limits<std::int64_t>::max();
  return value > -kMost ? std::llround(value) : std::numeric_limits<std::int64_t>::min();
}

/// An allocation of `size` bytes is sampled with probability 1 - exp(-size / period).
void scale_objects(std::int64_t& count, std::int64_t& bytes, std::int64_t period) {
  if (count <= 0 || bytes <= 0 || period <= 1) return;
  const double size = static_cast<double>(bytes) / static_cast<double>(count);
  const double factor = -1 / std::expm1(-size / static_cast<double>(period));
  count = rounded(static_cast<double>(count) * factor);
  bytes = rounded(static_cast<double>(bytes) * factor);
}

bool is_zero(const Sample& s) {
  return s.count == 0 && s.value == 0 && s.allocated_count == 0 && s.allocated_bytes == 0;
}

}  // namespace

Profile scaled(Profile profile) {
  for (Sample& s : profile.samples) {
    if (profile.kind == Kind::heap) {
      scale_objects(s.count, s.value, profile.period);
      scale_objects(s.allocated_count, s.allocated_bytes, profile.period);
    } else if (profile.kind == Kind::contention) {
      s.count = rounded(static_cast<double>(s.count) * static_cast<double>(profile.period));
      s.value = rounded(static_cast<double>(s.value) * static_cast<double>(profile.period));
    }
  }
  return profile;
}

Profile difference(const Profile& before, Profile after) {
  std::map<std::vector<std::uintptr_t>, Sample> by_stack;
  const auto add = [&](const Sample& s, std::int64_t sign) {
    Sample& sum = by_stack[s.stack];
    sum.count += sign * s.count;
    sum.value += sign * s.value;
    sum.allocated_count += sign * s.allocated_count;
    sum.allocated_bytes += sign * s.allocated_bytes;
  };
  for (const Sample& s : after.samples) add(s, 1);
  for (const Sample& s : before.samples) add(s, -1);
  after.samples.clear();
  for (auto& [stack, sum] : by_stack) {
    if (is_zero(sum)) continue;
    sum.stack = stack;
    after.samples.push_back(std::move(sum));
  }
  after.lost = std::max<std::int64_t>(0, after.lost - before.lost);
  return after;
}

}  // namespace symcached::pprof
