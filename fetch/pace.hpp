#pragma once
/// So many requests a second, evenly.
#include <algorithm>
#include <chrono>
#include <mutex>

namespace symcached::fetch {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  /// @param per_second  0: no limit
  explicit Pace(double per_second)
      : gap_(per_second > 0 ? std::chrono::duration_cast<Clock::duration>(
                                  std::min(std::chrono::duration<double>(1 / per_second), kLongestGap))
                            : Clock::duration()) {}

  /// Takes the next turn. @return how long until it comes
  std::chrono::milliseconds take(Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    const Clock::time_point turn = std::max(now, next_);
    next_ = turn + gap_;
    return std::chrono::ceil<std::chrono::milliseconds>(turn - now);
  }

 private:
  static constexpr std::chrono::duration<double> kLongestGap{3600};
  const Clock::duration gap_;
  std::mutex mutex_;
  Clock::time_point next_{};
};

}  // namespace symcached::fetch
