#pragma once
/// A bound on work that small hostile files could multiply: tables that many entries share, calls inside calls.
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/bytes.hpp"

namespace symcached::object {

/// Shared by the threads of one translation.
class WorkBudget {
 public:
  /// @param work  bytes or steps, as the spender counts
  explicit WorkBudget(std::uint64_t work) : total_(std::min(work, kMost)), left_(static_cast<std::int64_t>(total_)) {}
  /// @return false once more was asked for than there is; from then on every answer is false
  bool spend(std::uint64_t work) {
    const auto taken = static_cast<std::int64_t>(std::min(work, kMost));
    if (left_.load(std::memory_order_relaxed) < 0) return false;
    return left_.fetch_sub(taken, std::memory_order_relaxed) >= taken;
  }
  /// More was asked for than there is.
  bool overdrawn() const { return left_.load(std::memory_order_relaxed) < 0; }
  std::uint64_t spent() const { return total_ - static_cast<std::uint64_t>(left_.load(std::memory_order_relaxed)); }
  std::unexpected<ReadError> refusal(std::string_view field, std::uint64_t offset) const {
    return too_large(field, offset, spent(), total_);
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  std::uint64_t total_;
  std::atomic<std::int64_t> left_;
};

}  // namespace symcached::object
