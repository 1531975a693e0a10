#include "service/symcache_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>
#include <new>
#include <thread>

#include "base/ascii.hpp"
#include "sources/file_name.hpp"

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kCheckHold{10'000};  ///< for what a look at the disk or at a source decides
constexpr std::size_t kJobsPerSecondOfHint = 64;
constexpr seconds kMostHint{10};
constexpr seconds kFaultRetry{10};

fetch::Wanted wanted_of(const SymcacheQuery& query) {
  return {query.pdb_name, query.id, fmt::format("{}/{}", lower_ascii(query.pdb_name), query.id.breakpad())};
}

unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

/// Counts a request that waits, while it does.
class Held {
 public:
  explicit Held(std::atomic<std::size_t>& count) : count_(count), before_(count.fetch_add(1)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { --count_; }
  std::size_t before() const { return before_; }

 private:
  std::atomic<std::size_t>& count_;
  const std::size_t before_;
};

}  // namespace

SymcacheService::SymcacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, RunJob run,
                                 Log log, ServiceOptions options)
    : store_(store),
      log_(std::move(log)),
      options_(options),
      resolver_(store, std::move(sources), Converter(store, std::move(run), options.limits, options.retry, log_),
                options.retry, log_),
      pool_(thread_count(options.threads)) {}

SymcacheService::~SymcacheService() { stop(); }

void SymcacheService::stop() {
  drain();
  pool_.stop();
  pool_.join();
}

Task<Outcome> SymcacheService::find(SymcacheQuery query, milliseconds hold) {
  const fetch::Wanted wanted = wanted_of(query);
  const auto looked = store_.lookup_checked(Resolver::entry_key(wanted));
  keep_if_worth(wanted, looked);
  if (!looked || !fingerprint_of(*looked).empty()) hold = std::max(hold, kCheckHold);
  else if (auto outcome = known(*looked, resolver_.policy())) co_return std::move(*outcome);
  auto job = join_or_start(wanted);
  if (!job) co_return Overloaded{};
  const Held held(held_);
  if (hold > milliseconds(0) && held.before() >= options_.max_held) co_return Overloaded{};
  auto result = co_await KeyJob::wait(std::move(job), hold);
  if (result) co_return std::move(*result);
  co_return Pending{pending_hint()};
}

std::optional<Outcome> SymcacheService::peek(const SymcacheQuery& query) {
  const auto looked = store_.lookup_checked(Resolver::entry_key(wanted_of(query)));
  return looked ? known(*looked, resolver_.policy()) : std::nullopt;
}

ServiceStats SymcacheService::stats() {
  const std::scoped_lock lock(mutex_);
  return {jobs_.size(), active_, held_.load()};
}

void SymcacheService::drain() {
  std::deque<Waiting> dropped;
  const std::scoped_lock lock(mutex_);
  draining_ = true;
  dropped.swap(waiting_);
  for (const Waiting& waiting : dropped) jobs_.erase(waiting.wanted.key);
  for (const Waiting& waiting : dropped) waiting.job->release();
  for (const auto& [key, job] : jobs_) job->release();
}

std::shared_ptr<SymcacheService::KeyJob> SymcacheService::join_or_start(const fetch::Wanted& wanted) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = jobs_.find(wanted.key); found != jobs_.end()) return found->second;
  if (draining_ || jobs_.size() >= options_.max_jobs) return nullptr;
  auto job = std::make_shared<KeyJob>();
  jobs_.emplace(wanted.key, job);
  if (active_ < options_.max_active) start({wanted, job});
  else waiting_.push_back({wanted, job});
  return job;
}

/// Under the lock, so the work is posted: co_spawn() from a thread of the pool would begin it at once.
void SymcacheService::start(const Waiting& waiting) {
  const Outcome no_memory = Unable{"out of memory", kFaultRetry};
  try {
    boost::asio::post(pool_, [this, waiting, no_memory] {
      try {
        boost::asio::co_spawn(pool_, run(waiting), boost::asio::detached);
      } catch (const std::bad_alloc&) {
        finish(waiting, no_memory);
      }
    });
    ++active_;
  } catch (const std::bad_alloc&) {
    jobs_.erase(waiting.wanted.key);
    waiting.job->finish(no_memory);
  }
}

Task<void> SymcacheService::run(Waiting waiting) {
  Outcome outcome = Unable{"internal error; see the server's log", kFaultRetry};
  try {
    outcome = co_await resolver_.resolve(waiting.wanted);
  } catch (const std::bad_alloc&) {
    outcome = Unable{"out of memory", kFaultRetry};
  } catch (const std::exception& fault) {
    log_(Severity::error, fmt::format("{}: internal error: {}", waiting.wanted.key, fault.what()));
  }
  finish(waiting, std::move(outcome));
}

void SymcacheService::finish(const Waiting& waiting, Outcome outcome) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.erase(waiting.wanted.key);
    --active_;
    if (!waiting_.empty()) {
      start(waiting_.front());
      waiting_.pop_front();
    }
  }
  waiting.job->finish(std::move(outcome));
}

/// On disk only what was asked for again, and not by a thread that answers requests.
void SymcacheService::keep_if_worth(const fetch::Wanted& wanted, const std::optional<store::Lookup>& looked) {
  const auto* absent = looked ? std::get_if<store::Absent>(&*looked) : nullptr;
  if (absent == nullptr || !absent->worth_keeping) return;
  boost::asio::post(pool_, [this, key = Resolver::entry_key(wanted)] { store_.keep(key); });
}

seconds SymcacheService::pending_hint() {
  const std::scoped_lock lock(mutex_);
  return std::min(kMostHint, seconds(1 + jobs_.size() / kJobsPerSecondOfHint));
}

}  // namespace symcached::service
