#include "service/cache_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>

#include "service/thread_count.hpp"

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kCheckHold{10'000};  ///< for what a look at the disk or at a source decides
constexpr std::size_t kJobsPerSecondOfHint = 64;
constexpr seconds kMostHint{10};
constexpr seconds kNothingToAsk{86'400};  ///< of ids that name no file

std::string job_name(const CacheRequest& request) {
  return fmt::format("{} {} {} {}", static_cast<int>(request.query.kind()), request.query.scope,
                     request.sources ? request.sources->asked : "", request.key);
}

}  // namespace

CacheService::CacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, RunJob run,
                           Log log, ServiceOptions options)
    : store_(store),
      log_(std::move(log)),
      options_(std::move(options)),
      originals_({std::move(sources), options_.retry}),
      features_(run, options_.limits),
      resolver_(store, originals_, Converter(store, features_, run, options_.limits, log_),
                HiddenNames(originals_, run, options_.limits), options_.versions, log_),
      refresher_(options_.refresh_list, options_.retry.upgrade_again),
      jobs_(pool_, options_.jobs,
            {.run = [this](CacheRequest request) { return resolver_.resolve(std::move(request)); },
             .on_fault = [this](const CacheRequest& request, const char* fault) -> Outcome {
               return after_fault(log_, request.key, fault);
             },
             .on_finish = [this] { refresh_next(); }}),
      pool_(thread_count(options_.threads)) {
  refresh_next();
}

CacheService::~CacheService() { stop(); }

void CacheService::stop() {
  jobs_.drain();
  pool_.stop();
  pool_.join();
}

Task<Outcome> CacheService::find(CacheQuery query, milliseconds hold, SharedSources sources) {
  auto request = CacheRequest::of(std::move(query));
  if (!request) co_return Absent{kNothingToAsk};
  if (sources != originals_.in_use()) request->sources = std::move(sources);  // the server's own need no mention
  auto found = resolver_.look(*request, false);
  keep_if_worth(*request, found);
  if (!found || may_have_changed(found->lookup)) {
    hold = std::max(hold, kCheckHold);
  } else if (auto outcome = resolver_.known(std::move(*found), *request)) {
    ++known_;
    offer_to_refresh(*request, *outcome);
    co_return std::move(*outcome);
  }
  ++not_known_;
  auto result = co_await jobs_.find(job_name(*request), request->query.scope, *request, hold);
  if (!result && result.error() == NoResult::overloaded) co_return Overloaded{};
  if (!result) co_return Pending{pending_hint()};
  offer_to_refresh(*request, *result);
  co_return std::move(*result);
}

std::optional<Outcome> CacheService::peek(const CacheQuery& query) {
  const auto request = CacheRequest::of(query);
  auto found = request ? resolver_.look(*request, false) : std::nullopt;
  return found ? resolver_.known(std::move(*found), *request) : std::nullopt;
}

std::optional<KeyStatus> CacheService::status(const CacheQuery& query) {
  const auto request = CacheRequest::of(query);
  if (!request) return std::nullopt;
  KeyStatus status{.key = request->key,
                   .is_under_way = jobs_.is_under_way(job_name(*request)),
                   .sources = originals_.said(request->files())};
  if (auto found = resolver_.look(*request, false)) {
    status.lookup = std::move(found->lookup);
    status.is_outdated = found->outdated;
  }
  return status;
}

ServiceStats CacheService::stats() const {
  const auto counts = jobs_.counts();
  return {counts.jobs, counts.active, counts.held, refresher_.waiting(), known_, not_known_};
}

void CacheService::offer_to_refresh(const CacheRequest& request, const Outcome& outcome) {
  const auto* ready = std::get_if<Ready>(&outcome);
  if (request.sources) return;  // which are not kept
  if (ready == nullptr || (!ready->outdated && ready->entry->head().quality == store::Quality::lines)) return;
  if (refresher_.offer(request)) refresh_next();
}

/// One at a time, and only while those who wait for something leave threads without work.
void CacheService::refresh_next() {
  const auto counts = jobs_.counts();
  const std::scoped_lock lock(mutex_);
  if (counts.draining || refreshing_ || counts.active >= thread_count(options_.threads)) return;
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
  boost::asio::post(pool_, [this, key = resolver_.negative_key(request)] { store_.keep(key); });
}

seconds CacheService::pending_hint() const {
  return std::min(kMostHint, seconds(1 + jobs_.counts().jobs / kJobsPerSecondOfHint));
}

}  // namespace symcached::service
