#pragma once
/// What a server does for its cache directory in the background, on one thread at idle priority.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "store/quotas.hpp"

namespace symcached::store {

/// For metrics. Entries, bytes and what was removed are Quotas::counts().
struct MaintenanceCounts {
  std::uint64_t surveys = 0;  ///< completed
  std::uint64_t found = 0;    ///< entries that surveys found and nobody had told of
  std::uint64_t gone = 0;     ///< entries that surveys found gone
};

struct MaintenanceOptions {
  std::chrono::seconds limits_every{30};                             ///< sizes and free space are looked at
  std::chrono::seconds expiry_every = std::chrono::minutes(15);      ///< entries that nobody uses are removed
  std::chrono::seconds survey_every = std::chrono::hours(24);        ///< the whole directory is walked through
  std::chrono::milliseconds longest_rest = std::chrono::seconds(1);  ///< between two folders of a survey; 0: none
  /// Called after each round, on the thread: for the log.
  std::function<void(const MaintenanceCounts& counts)> after_round = {};
};

/// Begins with a survey. `quotas` outlives it.
class Maintenance {
 public:
  Maintenance(std::filesystem::path directory, Quotas& quotas, MaintenanceOptions options = {});
  ~Maintenance() { stop(); }
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  /// Returns when the thread has ended: after the folder, or the thousand entries, that it is at.
  void stop();
  /// Another MaintenanceOptions::expiry_every, from the next round on.
  void expire_every(std::chrono::seconds time) { expiry_every_ = time; }
  MaintenanceCounts counts() const { return {surveys_, found_, gone_}; }

 private:
  using Steady = std::chrono::steady_clock;
  void run(const std::stop_token& stop);
  void survey_all(const std::stop_token& stop);
  bool rest(const std::stop_token& stop, Steady::duration time);

  const std::filesystem::path directory_;
  Quotas& quotas_;
  const MaintenanceOptions options_;
  std::atomic<std::chrono::seconds> expiry_every_;
  std::atomic<std::uint64_t> surveys_ = 0, found_ = 0, gone_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace symcached::store
