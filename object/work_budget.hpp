#pragma once
/// A bound on work that small hostile files could multiply: tables that many entries share.
#include <atomic>
#include <cstdint>

namespace symcached::object {

/// Shared by the threads of one translation.
class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}
  /// @return false once more was asked for than there is
  bool spend(std::uint64_t bytes) {
    return left_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed) >=
           static_cast<std::int64_t>(bytes);
  }

 private:
  std::atomic<std::int64_t> left_;
};

}  // namespace symcached::object
