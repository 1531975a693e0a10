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
#include <unordered_map>

#include "net/log.hpp"
#include "net/task.hpp"
#include "service/cache_query.hpp"
#include "service/cache_versions.hpp"
#include "service/fair_queue.hpp"
#include "service/job.hpp"
#include "service/outcome.hpp"
#include "service/refresher.hpp"
#include "service/resolver.hpp"
#include "service/retry_policy.hpp"
#include "store/store.hpp"

namespace symcached::service {

struct ServiceOptions {
  RetryPolicy retry = {};
  LimitRules limits = {};       ///< of conversions
  unsigned threads = 0;         ///< for work that keeps a thread, the check of entries above all; 0: one per processor
  std::size_t max_jobs = 4096;  ///< keys worked on or queued at once
  std::size_t max_active = 64;  ///< of them, how many may have files open
  std::size_t max_held = 1024;  ///< requests that wait for a result
  CacheVersions versions = {};
  std::filesystem::path refresh_list = {};  ///< keeps what is to be made anew; empty: in memory alone
};

/// Of this moment.
struct ServiceStats {
  std::size_t jobs = 0;     ///< caches worked on or queued
  std::size_t active = 0;   ///< of them, worked on
  std::size_t held = 0;     ///< requests that wait for a result
  std::size_t refresh = 0;  ///< caches that wait to be made anew
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
  Task<Outcome> find(CacheQuery query, std::chrono::milliseconds hold);
  /// What is known without any work or wait; nothing if that is nothing.
  std::optional<Outcome> peek(const CacheQuery& query);
  /// Other sources from now on. Work under way ends with the old ones, so what those use has to stay, too.
  void use(std::vector<std::unique_ptr<fetch::Source>> sources, RetryPolicy retry) {
    resolver_.use({std::move(sources), retry});
  }
  ServiceStats stats();
  /// Before the end: everybody who waits gets Pending, what is queued is dropped.
  void drain();
  /// drain(), then waits for what is under way. No download and no job of a worker may be under way any more.
  void stop();

 private:
  using KeyJob = Job<Outcome>;
  struct Waiting {
    CacheRequest request;
    std::shared_ptr<KeyJob> job;
  };

  std::shared_ptr<KeyJob> join_or_start(CacheRequest request);
  void start(Waiting waiting);
  Task<void> run(Waiting waiting);
  void finish(const Waiting& waiting, Outcome outcome);
  void offer_to_refresh(const CacheRequest& request, const Outcome& outcome);
  void refresh_next();
  Task<void> refresh(Refresher::Work work);
  void keep_if_worth(const CacheRequest& request, const std::optional<Found>& found);
  std::chrono::seconds pending_hint();

  store::Store& store_;
  const Log log_;
  const ServiceOptions options_;
  Resolver resolver_;
  Refresher refresher_;
  std::atomic<std::size_t> held_ = 0;
  std::mutex mutex_;
  bool draining_ = false;
  bool refreshing_ = false;
  std::unordered_map<std::string, std::shared_ptr<KeyJob>> jobs_;  ///< by kind, scope and key
  FairQueue<Waiting> waiting_;                                     ///< for their turn; they are among jobs_
  std::size_t active_ = 0;
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::service
