#include "service/symcache_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>
#include <thread>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "service/cache_versions.hpp"
#include "sources/file_name.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kCheckHold{10'000};  ///< for an entry whose payload only has to be checked
constexpr std::size_t kJobsPerSecondOfHint = 64;
constexpr seconds kMostHint{10};

fetch::Wanted wanted_of(const SymcacheQuery& query) {
  return {query.pdb_name, query.id, fmt::format("{}/{}", lower_ascii(query.pdb_name), query.id.breakpad())};
}

store::EntryKey entry_key(const fetch::Wanted& wanted) { return {kSymcaches, "global", wanted.key}; }

seconds until(store::TimePoint then) {
  return std::max(seconds(1), std::chrono::ceil<seconds>(then - store::Store::now()));
}

unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

/// What the sources said so far, when none had a usable original.
struct Verdicts {
  std::string soft;     ///< the last soft failure, or empty
  std::string refused;  ///< the last refusal, or empty

  store::Negative negative(const store::Lookup& before) const {
    const auto now = store::Store::now();
    const auto* earlier = std::get_if<store::Unavailable>(&before);
    const int failures = earlier == nullptr ? 1 : std::min(earlier->failures + 1, 0xffff);
    if (!soft.empty()) return store::Unavailable{now, static_cast<std::uint16_t>(failures), soft};
    if (!refused.empty()) return store::Malformed{now, refused};
    return store::Absent{now};
  }
};

}  // namespace

SymcacheService::SymcacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources,
                                 Deriver deriver, Log log, ServiceOptions options)
    : store_(store),
      sources_(std::move(sources)),
      deriver_(std::move(deriver)),
      log_(std::move(log)),
      options_(options),
      pool_(thread_count(options.threads)) {}

SymcacheService::~SymcacheService() { stop(); }

void SymcacheService::stop() {
  drain();
  pool_.stop();
  pool_.join();
}

Task<Outcome> SymcacheService::find(SymcacheQuery query, std::chrono::milliseconds hold) {
  const fetch::Wanted wanted = wanted_of(query);
  const auto looked = store_.lookup_checked(entry_key(wanted));
  if (!looked) hold = std::max(hold, kCheckHold);
  else if (auto outcome = known(*looked)) co_return std::move(*outcome);
  auto job = join_or_start(wanted);
  if (!job) co_return Overloaded{};
  auto result = co_await KeyJob::wait(std::move(job), hold);
  if (result) co_return std::move(*result);
  co_return Pending{pending_hint()};
}

std::optional<Outcome> SymcacheService::peek(const SymcacheQuery& query) {
  const auto looked = store_.lookup_checked(entry_key(wanted_of(query)));
  return looked ? known(*looked) : std::nullopt;
}

void SymcacheService::drain() {
  const std::scoped_lock lock(mutex_);
  draining_ = true;
  for (const auto& [key, job] : jobs_) job->release();
}

std::shared_ptr<SymcacheService::KeyJob> SymcacheService::join_or_start(const fetch::Wanted& wanted) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = jobs_.find(wanted.key); found != jobs_.end()) return found->second;
  if (draining_ || jobs_.size() >= options_.max_jobs) return nullptr;
  auto job = std::make_shared<KeyJob>();
  jobs_.emplace(wanted.key, job);
  boost::asio::co_spawn(pool_, run(wanted, job), boost::asio::detached);
  return job;
}

Task<void> SymcacheService::run(fetch::Wanted wanted, std::shared_ptr<KeyJob> job) {
  Outcome outcome = Failed{"fault of the server, see its log", false, 0, options_.retry.unavailable};
  try {
    outcome = co_await resolve(wanted);
  } catch (const std::exception& fault) {
    log_(Severity::error, fmt::format("{}: fault of our own: {}", wanted.key, fault.what()));
  }
  {
    const std::scoped_lock lock(mutex_);
    jobs_.erase(wanted.key);
  }
  job->finish(std::move(outcome));
}

Task<Outcome> SymcacheService::resolve(fetch::Wanted wanted) {
  const store::Lookup before = store_.lookup(entry_key(wanted));
  if (auto outcome = known(before)) co_return std::move(*outcome);
  Verdicts verdicts;
  for (const auto& source : sources_) {
    fetch::Outcome got = co_await source->open(wanted);
    if (const auto* original = std::get_if<fetch::Original>(&got)) {
      auto derived = derive(wanted, *original);
      if (derived) co_return std::move(*derived);
      source->forget(wanted);
      verdicts.refused = std::move(derived.error());
    } else if (const auto* refused = std::get_if<fetch::Refused>(&got)) {
      verdicts.refused = refused->why;
    } else if (const auto* soft = std::get_if<fetch::SoftFailure>(&got)) {
      verdicts.soft = soft->why;
    }
  }
  co_return remember(wanted, verdicts.negative(before));
}

std::expected<Outcome, std::string> SymcacheService::derive(const fetch::Wanted& wanted,
                                                            const fetch::Original& original) {
  const auto start = std::chrono::steady_clock::now();
  const auto derived = deriver_({.file = original.bytes(), .release = [&] { original.file.release_pages(); }});
  if (!derived) return std::unexpected(fmt::format("{}: {}", original.origin, derived.error()));
  if (const DebugId& asked = std::get<DebugId>(wanted.id); derived->debug_id != asked)
    return std::unexpected(
        fmt::format("{}: is {}, asked for was {}", original.origin, derived->debug_id.breakpad(), asked.breakpad()));
  const auto not_stored = [&](const std::string& why) -> Outcome {
    log_(Severity::error, fmt::format("{}: could not be stored: {}", wanted.key, why));
    return Failed{"the result could not be stored", false, 1, options_.retry.unavailable};
  };
  auto writer = store_.create(entry_key(wanted), store::Quality::preferred);
  if (!writer) return not_stored(writer.error());
  if (const auto written = writer->write(derived->file); !written) return not_stored(written.error());
  if (const auto published = std::move(*writer).publish(); !published) return not_stored(published.error());
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  log_(Severity::info, fmt::format("derived {} in {} ms from {}: {} bytes from {}", wanted.key, took.count(),
                                   original.origin, derived->file.size(), original.bytes().size()));
  if (auto outcome = known(store_.lookup(entry_key(wanted)))) return std::move(*outcome);
  return not_stored("its cache entry went away at once");
}

Outcome SymcacheService::remember(const fetch::Wanted& wanted, const store::Negative& negative) {
  const store::Lookup lookup = std::visit([](const auto& n) { return store::Lookup(n); }, negative);
  const auto outcome = known(lookup);
  std::visit(
      overloaded{
          [&](const store::Absent&) { log_(Severity::info, fmt::format("absent {}: no source has it", wanted.key)); },
          [&](const store::Malformed& m) { log_(Severity::warning, fmt::format("refused {}: {}", wanted.key, m.why)); },
          [&](const store::Unavailable& u) {
            log_(Severity::warning, fmt::format("unavailable {}: {}", wanted.key, u.why));
          }},
      negative);
  if (!draining())
    if (const auto stored = store_.remember(entry_key(wanted), negative); !stored)
      log_(Severity::error, fmt::format("{}: could not be remembered: {}", wanted.key, stored.error()));
  return outcome.value_or(Failed{"retry times are all zero", false, 1, seconds(1)});
}

/// The outcome an entry stands for while it counts; nothing if the sources are to be asked.
std::optional<Outcome> SymcacheService::known(const store::Lookup& lookup) const {
  const auto counts = [&](const auto& negative) {
    return retry_at(negative, options_.retry) > store::Store::now()
               ? std::optional(until(retry_at(negative, options_.retry)))
               : std::nullopt;
  };
  return std::visit(overloaded{[](const store::Hit& hit) -> std::optional<Outcome> { return Ready{hit.entry}; },
                               [](const store::Miss&) -> std::optional<Outcome> { return std::nullopt; },
                               [&](const store::Absent& a) -> std::optional<Outcome> {
                                 const auto left = counts(a);
                                 return left ? std::optional<Outcome>(Absent{*left}) : std::nullopt;
                               },
                               [&](const store::Malformed& m) -> std::optional<Outcome> {
                                 const auto left = counts(m);
                                 return left ? std::optional<Outcome>(Failed{m.why, true, 1, *left}) : std::nullopt;
                               },
                               [&](const store::Unavailable& u) -> std::optional<Outcome> {
                                 const auto left = counts(u);
                                 return left ? std::optional<Outcome>(Failed{u.why, false, u.failures, *left})
                                             : std::nullopt;
                               }},
                    lookup);
}

std::chrono::seconds SymcacheService::pending_hint() {
  const std::scoped_lock lock(mutex_);
  return std::min(kMostHint, seconds(1 + jobs_.size() / kJobsPerSecondOfHint));
}

bool SymcacheService::draining() {
  const std::scoped_lock lock(mutex_);
  return draining_;
}

}  // namespace symcached::service
