#pragma once
/// Rules that were found, by place, in memory of fixed size.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "profiling/unwinding/unwind_rule.hpp"

namespace symcached::pprof {

/// Thread-safe without locks, also where a signal handler interrupts one that stores: an entry is one word, which says
/// all of the place, so that it is right or not there. All zero is empty. Cost: a multiplication and a load.
class RuleCache {
 public:
  static constexpr std::uint32_t kMaxModule = (1U << 9) - 1;

  /// @param module  1 to kMaxModule
  /// @param offset  of the place in the module
  std::optional<UnwindRule> find(std::uint32_t module, std::uint32_t offset) const noexcept {
    const std::uint64_t place = place_of(module, offset);
    const std::uint64_t entry = entries_[slot_of(place)].load(std::memory_order_relaxed);
    if (entry >> kRuleBits != place) return std::nullopt;
    return UnwindRule{static_cast<UnwindRule::Kind>(entry & 3), static_cast<std::uint32_t>(entry >> 6 & 0xFFFF) * 8,
                      static_cast<std::uint32_t>(entry >> 2 & 15)};
  }
  /// In place of what is there.
  void store(std::uint32_t module, std::uint32_t offset, const UnwindRule& rule) noexcept {
    const std::uint64_t place = place_of(module, offset);
    const std::uint64_t packed = static_cast<std::uint64_t>(rule.kind) | rule.rbp_slot << 2 | rule.cfa / 8 << 6;
    entries_[slot_of(place)].store(place << kRuleBits | packed, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kRuleBits = 22, kSlotBits = 13;
  static_assert(UnwindRule::kMaxCfa / 8 <= 0xFFFF && UnwindRule::kMaxRbpSlot <= 15);

  static std::uint64_t place_of(std::uint32_t module, std::uint32_t offset) {
    return std::uint64_t{module} << 32 | offset;
  }
  static std::size_t slot_of(std::uint64_t place) { return place * 0x9e3779b97f4a7c15 >> (64 - kSlotBits); }

  std::array<std::atomic<std::uint64_t>, std::size_t{1} << kSlotBits> entries_{};
};

}  // namespace symcached::pprof
