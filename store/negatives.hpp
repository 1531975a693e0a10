#pragma once
/// What is remembered of keys without an entry: in memory, bounded, the least recently asked for forgotten first.
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/lookup.hpp"

namespace symcached::store {

struct NegativeLimits {
  std::size_t entries = 65'536;
  std::size_t bytes = 16u << 20;  ///< of names, reasons, identities, and kNegativeOverhead for each entry
};
inline constexpr std::size_t kNegativeOverhead = 256;  ///< bytes of list, index and allocator for one entry, about

/// Safe to use from any thread; no call waits for anything but the mutex.
class Negatives {
 public:
  explicit Negatives(NegativeLimits limits) : limits_(limits) {}

  /// Replaces what was remembered. Reasons and identities are cut to their limits and to one line.
  void put(const std::string& name, Negative negative);
  /// Counts as asking for it: the first time for an Absent sets worth_keeping.
  std::optional<Negative> find(std::string_view name);
  /// The same without counting.
  std::optional<Negative> peek(std::string_view name) const;
  void drop(std::string_view name);
  void clear();

  std::size_t size() const;
  std::size_t bytes() const;

 private:
  struct Node {
    std::string name;
    Negative negative;
    bool asked_again = false;
  };
  static std::size_t bytes_of(const Node& node);
  void erase(std::list<Node>::iterator node);

  const NegativeLimits limits_;
  mutable std::mutex mutex_;
  std::list<Node> nodes_;  ///< the most recently asked for first
  std::unordered_map<std::string_view, std::list<Node>::iterator> by_name_;
  std::size_t bytes_ = 0;
};

TimePoint checked(const Negative& negative);

}  // namespace symcached::store
