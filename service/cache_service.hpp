#pragma once
/// The use-case: the cache of a module, found or made. One computation per cache at a time, however many ask.
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/log.hpp"
#include "net/task.hpp"
#include "service/cache_query.hpp"
#include "service/cache_versions.hpp"
#include "service/file_features.hpp"
#include "service/job_table.hpp"
#include "service/outcome.hpp"
#include "service/refresher.hpp"
#include "service/resolver.hpp"
#include "service/retry_policy.hpp"
#include "store/store.hpp"

namespace symcached::service {

struct ServiceOptions {
  RetryPolicy retry = {};
  LimitRules limits = {};  ///< of conversions
  unsigned threads = 0;    ///< for work that keeps a thread, the check of entries above all; 0: one per processor
  JobLimits jobs = {};     ///< of caches; those worked on have files open
  CacheVersions versions = {};
  std::filesystem::path refresh_list = {};  ///< keeps what is to be made anew; empty: in memory alone
};

/// Of this moment, and since the start.
struct ServiceStats {
  std::size_t jobs = 0;         ///< caches worked on or queued
  std::size_t active = 0;       ///< of them, worked on
  std::size_t held = 0;         ///< requests that wait for a result
  std::size_t refresh = 0;      ///< caches that wait to be made anew
  std::uint64_t known = 0;      ///< questions for a cache that the store could answer
  std::uint64_t not_known = 0;  ///< and those that took work
};

class CacheService {
 public:
  /// `store`, what `sources` use and what `run` calls outlive the service.
  CacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, RunJob run, Log log,
               ServiceOptions options = {});
  ~CacheService();

  /// @param hold  how long to wait for work that is not done; 0: Pending at once, the work goes on
  /// The work belongs to the cache: it goes on when the one who asked is gone. A cache that is second best, or of an
  /// older version, is Ready, and is made anew when there is nothing else to do.
  /// @param sources  to ask; null: those of the server
  Task<Outcome> find(CacheQuery query, std::chrono::milliseconds hold, SharedSources sources = nullptr);
  /// What is known without any work or wait; nothing if that is nothing.
  std::optional<Outcome> peek(const CacheQuery& query);
  /// What is known and why; nothing if the query names no file. Cost: that of peek(), and more allocations.
  std::optional<KeyStatus> status(const CacheQuery& query);
  /// Other sources from now on. Work under way ends with the old ones, so what those use has to stay, too.
  void use(std::vector<std::unique_ptr<fetch::Source>> sources, RetryPolicy retry) {
    originals_.use({std::move(sources), retry});
    store_.forget_negatives();
  }
  /// What the sources have, for others that make something of it.
  Originals& originals() { return originals_; }
  /// What files offer from which caches were made.
  FileFeatures& features() { return features_; }
  const JobLimits& job_limits() const { return options_.jobs; }
  ServiceStats stats() const;
  /// Before the end: everybody who waits gets Pending, what is queued is dropped.
  void drain() { jobs_.drain(); }
  /// drain(), then waits for what is under way. No download and no job of a worker may be under way any more.
  void stop();

 private:
  void offer_to_refresh(const CacheRequest& request, const Outcome& outcome);
  void refresh_next();
  Task<void> refresh(Refresher::Work work);
  void keep_if_worth(const CacheRequest& request, const std::optional<Found>& found);
  std::chrono::seconds pending_hint() const;

  store::Store& store_;
  const Log log_;
  const ServiceOptions options_;
  Originals originals_;
  FileFeatures features_;
  Resolver resolver_;
  Refresher refresher_;
  std::atomic<std::uint64_t> known_ = 0, not_known_ = 0;  ///< questions
  std::mutex mutex_;
  bool refreshing_ = false;
  JobTable<CacheRequest, Outcome> jobs_;  ///< by kind, scope and key
  boost::asio::thread_pool pool_;         ///< the last, as what it has queued uses the rest
};

}  // namespace symcached::service
