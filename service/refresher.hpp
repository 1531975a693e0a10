#pragma once
/// Caches to be made anew behind the back of those who use them: second-best ones, and those of an older version.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "service/cache_query.hpp"
#include "store/work_list.hpp"

namespace symcached::service {

/// What waits outlives the process. Safe to use from any thread.
class Refresher {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// @param file   for what waits; empty: in memory alone
  /// @param again  at most one attempt for a cache in that time
  Refresher(
      std::filesystem::path file, std::chrono::seconds again,
      Clock now = [] { return std::chrono::steady_clock::now(); })
      : list_(std::move(file)), again_(again), now_(std::move(now)) {}

  /// Somebody was served a cache that might be better. @return whether there is work now that there was not before
  bool offer(const CacheRequest& request);
  /// The one that waits longest; its turn counts as an attempt. Nothing if none waits.
  struct Work {
    std::string line;
    CacheQuery query;
  };
  std::optional<Work> next();
  void done(const Work& work) { list_.done(work.line); }
  std::size_t waiting() const { return list_.waiting(); }

 private:
  static constexpr std::size_t kMostTried = 65'536;  ///< caches; when there are more, all are forgotten

  store::WorkList list_;
  const std::chrono::seconds again_;
  const Clock now_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> tried_;  ///< by scope and key
};

}  // namespace symcached::service
