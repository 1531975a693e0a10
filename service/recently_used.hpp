#pragma once
/// Values by name, in memory, within a budget: the least recently used are dropped first.
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace symcached::service {

/// Values are copied out, so they are shared pointers or small. Safe to use from any thread.
template <class Value>
class RecentlyUsed {
 public:
  static constexpr std::uint64_t kOverhead = 256;  ///< bytes of list, index and allocator for one, about

  /// @param budget  bytes of all values, as put() is told, and what keeping them takes
  explicit RecentlyUsed(std::uint64_t budget) : budget_(budget) {}

  std::optional<Value> find(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    nodes_.splice(nodes_.begin(), nodes_, found->second);
    return found->second->value;
  }

  /// Replaces what had the name. @param bytes  that the value takes; one beyond the budget is not kept
  void put(std::string name, Value value, std::uint64_t bytes) {
    Nodes dropped;  // freed without the lock
    bytes += kOverhead + name.size();
    const std::scoped_lock lock(mutex_);
    if (const auto found = by_name_.find(name); found != by_name_.end()) drop(found->second, dropped);
    if (bytes > budget_) return;
    nodes_.push_front({std::move(name), std::move(value), bytes});
    by_name_.emplace(nodes_.front().name, nodes_.begin());
    bytes_ += bytes;
    while (bytes_ > budget_) drop(std::prev(nodes_.end()), dropped);
  }

  std::uint64_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

 private:
  struct Node {
    std::string name;
    Value value;
    std::uint64_t bytes;
  };
  using Nodes = std::list<Node>;

  void drop(typename Nodes::iterator node, Nodes& dropped) {
    bytes_ -= node->bytes;
    by_name_.erase(node->name);
    dropped.splice(dropped.end(), nodes_, node);
  }

  const std::uint64_t budget_;
  mutable std::mutex mutex_;
  Nodes nodes_;  ///< the most recently used first
  std::unordered_map<std::string_view, typename Nodes::iterator> by_name_;
  std::uint64_t bytes_ = 0;
};

}  // namespace symcached::service
