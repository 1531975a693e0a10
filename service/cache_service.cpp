#include "service/cache_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>
#include <new>
#include <thread>

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kCheckHold{10'000};  ///< for what a look at the disk or at a source decides
constexpr std::size_t kJobsPerSecondOfHint = 64;
constexpr seconds kMostHint{10};
constexpr seconds kFaultRetry{10};
constexpr seconds kNothingToAsk{86'400};  ///< of ids that name no file

std::string job_name(const CacheRequest& request) {
  return fmt::format("{} {} {}", static_cast<int>(request.query.kind()), request.query.scope, request.key);
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

CacheService::CacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, RunJob run,
                           Log log, ServiceOptions options)
    : store_(store),
      log_(std::move(log)),
      options_(std::move(options)),
      resolver_(store, {std::move(sources), options_.retry}, Converter(store, std::move(run), options_.limits, log_),
                options_.versions, log_),
      refresher_(options_.refresh_list, options_.retry.upgrade_again),
      pool_(thread_count(options_.threads)) {
  refresh_next();
}

CacheService::~CacheService() { stop(); }

void CacheService::stop() {
  drain();
  pool_.stop();
  pool_.join();
}

Task<Outcome> CacheService::find(CacheQuery query, milliseconds hold) {
  auto request = CacheRequest::of(std::move(query));
  if (!request) co_return Absent{kNothingToAsk};
  auto found = resolver_.look(*request, false);
  keep_if_worth(*request, found);
  if (!found || may_have_changed(found->lookup)) {
    hold = std::max(hold, kCheckHold);
  } else if (auto outcome = resolver_.known(std::move(*found))) {
    offer_to_refresh(*request, *outcome);
    co_return std::move(*outcome);
  }
  auto job = join_or_start(*request);
  if (!job) co_return Overloaded{};
  const Held held(held_);
  if (hold > milliseconds(0) && held.before() >= options_.max_held) co_return Overloaded{};
  auto result = co_await KeyJob::wait(std::move(job), hold);
  if (!result) co_return Pending{pending_hint()};
  offer_to_refresh(*request, *result);
  co_return std::move(*result);
}

std::optional<Outcome> CacheService::peek(const CacheQuery& query) {
  const auto request = CacheRequest::of(query);
  auto found = request ? resolver_.look(*request, false) : std::nullopt;
  return found ? resolver_.known(std::move(*found)) : std::nullopt;
}

ServiceStats CacheService::stats() {
  const std::scoped_lock lock(mutex_);
  return {jobs_.size(), active_, held_.load(), refresher_.waiting()};
}

void CacheService::drain() {
  FairQueue<Waiting> dropped;
  const std::scoped_lock lock(mutex_);
  draining_ = true;
  std::swap(dropped, waiting_);
  while (!dropped.empty()) {
    const Waiting waiting = dropped.pop();
    jobs_.erase(job_name(waiting.request));
    waiting.job->release();
  }
  for (const auto& [name, job] : jobs_) job->release();
}

std::shared_ptr<CacheService::KeyJob> CacheService::join_or_start(CacheRequest request) {
  const std::string name = job_name(request);
  const std::scoped_lock lock(mutex_);
  if (const auto found = jobs_.find(name); found != jobs_.end()) return found->second;
  if (draining_ || jobs_.size() >= options_.max_jobs) return nullptr;
  auto job = std::make_shared<KeyJob>();
  jobs_.emplace(name, job);
  const std::string scope = request.query.scope;
  Waiting waiting{std::move(request), job};
  if (active_ < options_.max_active) start(std::move(waiting));
  else waiting_.push(scope, std::move(waiting));
  return job;
}

/// Under the lock, so the work is posted: co_spawn() from a thread of the pool would begin it at once.
void CacheService::start(Waiting waiting) {
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
    jobs_.erase(job_name(waiting.request));
    waiting.job->finish(no_memory);
  }
}

Task<void> CacheService::run(Waiting waiting) {
  Outcome outcome = Unable{"internal error; see the server's log", kFaultRetry};
  try {
    outcome = co_await resolver_.resolve(waiting.request);
  } catch (const std::bad_alloc&) {
    outcome = Unable{"out of memory", kFaultRetry};
  } catch (const std::exception& fault) {
    log_(Severity::error, fmt::format("{}: internal error: {}", waiting.request.key, fault.what()));
  }
  finish(waiting, std::move(outcome));
}

void CacheService::finish(const Waiting& waiting, Outcome outcome) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.erase(job_name(waiting.request));
    --active_;
    if (!waiting_.empty()) start(waiting_.pop());
  }
  waiting.job->finish(std::move(outcome));
  refresh_next();
}

void CacheService::offer_to_refresh(const CacheRequest& request, const Outcome& outcome) {
  const auto* ready = std::get_if<Ready>(&outcome);
  if (ready == nullptr || (!ready->outdated && ready->entry->head().quality == store::Quality::lines)) return;
  if (refresher_.offer(request)) refresh_next();
}

/// One at a time, and only while those who wait for something leave threads without work.
void CacheService::refresh_next() {
  const std::scoped_lock lock(mutex_);
  if (draining_ || refreshing_ || active_ >= thread_count(options_.threads)) return;
  auto work = refresher_.next();
  if (!work) return;
  refreshing_ = true;
  boost::asio::post(
      pool_, [this, work = std::move(*work)] { boost::asio::co_spawn(pool_, refresh(work), boost::asio::detached); });
}

Task<void> CacheService::refresh(Refresher::Work work) {
  try {
    if (auto request = CacheRequest::of(work.query)) co_await resolver_.upgrade(std::move(*request));
  } catch (const std::exception& fault) {
    log_(Severity::error, fmt::format("making a better cache: {}", fault.what()));
  }
  refresher_.done(work);
  {
    const std::scoped_lock lock(mutex_);
    refreshing_ = false;
  }
  refresh_next();
}

/// On disk only what was asked for again, and not by a thread that answers requests.
void CacheService::keep_if_worth(const CacheRequest& request, const std::optional<Found>& found) {
  const auto* absent = found ? std::get_if<store::Absent>(&found->lookup) : nullptr;
  if (absent == nullptr || !absent->worth_keeping) return;
  boost::asio::post(pool_, [this, key = resolver_.entry_key(request)] { store_.keep(key); });
}

seconds CacheService::pending_hint() {
  const std::scoped_lock lock(mutex_);
  return std::min(kMostHint, seconds(1 + jobs_.size() / kJobsPerSecondOfHint));
}

}  // namespace symcached::service
