#pragma once
/// What is left in memory when code is written over other code.
#include <cstdint>
#include <map>
#include <utility>

namespace symcached::object {

/// Pieces of code by start; no two overlap: a new one removes those it touches.
template <class Code>
class LiveCode {
 public:
  /// @param code  has `start` and `end`, which is behind the start. Cost: log n, for each that is removed too
  void add(Code code) {
    auto at = live_.upper_bound(code.start);
    if (at != live_.begin() && std::prev(at)->second.end > code.start) --at;
    while (at != live_.end() && at->second.start < code.end) at = live_.erase(at);
    const std::uint64_t start = code.start;
    live_.insert_or_assign(at, start, std::move(code));
  }
  /// The piece that starts there; null: none does.
  const Code* at(std::uint64_t start) const {
    const auto found = live_.find(start);
    return found == live_.end() ? nullptr : &found->second;
  }
  /// Removes a piece that at() found.
  Code take(std::uint64_t start) { return std::move(live_.extract(start).mapped()); }
  const std::map<std::uint64_t, Code>& all() const { return live_; }

 private:
  std::map<std::uint64_t, Code> live_;
};

}  // namespace symcached::object
