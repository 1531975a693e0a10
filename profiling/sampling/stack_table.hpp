#pragma once
/// Stacks with their counts, in memory of fixed size, for hooks that must not allocate.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "profiling/sampling/profile.hpp"
#include "profiling/sampling/spin_lock.hpp"
#include "profiling/sampling/stack_counter.hpp"

namespace symcached::pprof {

/// Meant as a static variable: all zero is empty, and pages that are not used cost nothing. Whoever calls locks.
class StackTable {
 public:
  static constexpr std::size_t kMaxStacks = std::size_t{1} << 14;
  static constexpr std::size_t kMaxAddresses = std::size_t{1} << 20;

  /// As in Sample.
  struct Totals {
    std::int64_t count = 0, value = 0, allocated_count = 0, allocated_bytes = 0;
  };

  /// The number of a stack, for as long as the table lives. @return 0 if there is no room for another one
  std::uint32_t number(std::span<const std::uintptr_t> stack) noexcept {
    const std::uint64_t hash = hash_stack(stack);
    for (std::size_t probe = hash % kSlots;; probe = (probe + 1) % kSlots) {
      if (slots_[probe] == 0) return slots_[probe] = add(hash, stack);
      const Entry& entry = entries_[slots_[probe]];
      if (entry.hash == hash && std::ranges::equal(frames(entry), stack)) return slots_[probe];
    }
  }
  Totals& totals(std::uint32_t number) noexcept { return entries_[number].totals; }

  /// How many stacks there are: numbers go from 1 to this.
  std::uint32_t size() const noexcept { return used_; }
  /// @param out  room for kMaxFrames addresses. @return how many it has
  std::size_t copy(std::uint32_t number, std::uintptr_t* out) const noexcept {
    const auto stack = frames(entries_[number]);
    std::ranges::copy(stack, out);
    return stack.size();
  }

 private:
  static constexpr std::size_t kSlots = 2 * kMaxStacks;  ///< never full, so that each search ends

  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t first = 0, depth = 0;
    Totals totals;
  };

  std::span<const std::uintptr_t> frames(const Entry& entry) const {
    return std::span(addresses_).subspan(entry.first, entry.depth);
  }
  std::uint32_t add(std::uint64_t hash, std::span<const std::uintptr_t> stack) noexcept {
    if (used_ == kMaxStacks - 1 || stack.size() > kMaxAddresses - addresses_used_) return 0;
    Entry& entry = entries_[++used_];
    entry.hash = hash;
    entry.first = addresses_used_;
    entry.depth = static_cast<std::uint32_t>(stack.size());
    std::ranges::copy(stack, addresses_ + addresses_used_);
    addresses_used_ += entry.depth;
    return used_;
  }

  std::uint32_t used_ = 0, addresses_used_ = 0;
  std::uint32_t slots_[kSlots] = {};
  Entry entries_[kMaxStacks] = {};  ///< from 1
  std::uintptr_t addresses_[kMaxAddresses] = {};
};

/// What all stacks of a table have counted by now. Nothing is allocated while the lock is held.
inline std::vector<Sample> copy_samples(StackTable& table, SpinLock& lock) {
  std::vector<Sample> all;
  std::array<std::uintptr_t, kMaxFrames> frames;
  for (std::uint32_t number = 1;; ++number) {
    StackTable::Totals totals;
    std::size_t depth = 0;
    {
      const std::lock_guard guard(lock);
      if (number > table.size()) return all;
      depth = table.copy(number, frames.data());
      totals = table.totals(number);
    }
    all.push_back({{frames.begin(), frames.begin() + depth},
                   totals.count,
                   totals.value,
                   totals.allocated_count,
                   totals.allocated_bytes});
  }
}

}  // namespace symcached::pprof
