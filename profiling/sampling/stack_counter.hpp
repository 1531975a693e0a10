#pragma once
/// Equal stacks become one sample.
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// FNV-1a over whole addresses.
inline std::uint64_t hash_stack(std::span<const std::uintptr_t> stack) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uintptr_t address : stack) hash = (hash ^ address) * 0x100000001b3;
  return hash ^ hash >> 32;
}

class StackCounter {
 public:
  static constexpr std::size_t kMaxStacks = 200'000;

  /// @return false if there are kMaxStacks others
  bool add(const std::vector<std::uintptr_t>& stack, std::int64_t count) {
    if (counts_.size() == kMaxStacks && !counts_.contains(stack)) return false;
    counts_[stack] += count;
    return true;
  }
  /// The most frequent first. @param value  of each counted sample
  std::vector<Sample> samples(std::int64_t value) const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uintptr_t>& stack) const { return hash_stack(stack); }
  };
  std::unordered_map<std::vector<std::uintptr_t>, std::int64_t, Hash> counts_;
};

}  // namespace symcached::pprof
