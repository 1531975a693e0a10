#pragma once
/// Remembers that the disk takes nothing, so that not every request finds out anew, at the price of a conversion.
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "store/files.hpp"

namespace symcached::store {

using SteadyTime = std::chrono::steady_clock::time_point;
using SteadyClock = std::function<SteadyTime()>;  ///< a seam for tests

/// The file system is full, over quota, read-only, or the file is over the limit of this process.
bool is_of_space(int error);

/// Safe to use from any thread.
class DiskSpace {
 public:
  static constexpr std::chrono::seconds kFirstPause{5};
  static constexpr std::chrono::seconds kLongestPause{60};

  explicit DiskSpace(SteadyClock now) : now_(std::move(now)) {}

  /// Starts a pause if the failure is one of space. Each failure after a pause doubles the next.
  void failed(const Failure& failure);
  void worked();
  /// Why nothing should be written now; nothing outside of a pause.
  std::optional<std::string> full() const;

 private:
  const SteadyClock now_;
  mutable std::mutex mutex_;
  std::string why_;
  SteadyTime until_{};
  std::chrono::seconds pause_{0};  ///< 0: the last write worked
};

}  // namespace symcached::store
