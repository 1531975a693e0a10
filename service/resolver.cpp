#include "service/resolver.hpp"

#include <fmt/format.h>

#include "base/overloaded.hpp"
#include "service/cache_versions.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kNoMeansRetry{5};
constexpr std::size_t kMostIdentified = 4096;  ///< keys; when there are more, all are forgotten

}  // namespace

Resolver::Resolver(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, Converter converter,
                   RetryPolicy policy, Log log)
    : store_(store), converter_(std::move(converter)), log_(std::move(log)) {
  use(std::move(sources), policy);
}

void Resolver::use(std::vector<std::unique_ptr<fetch::Source>> sources, RetryPolicy policy) {
  auto next = std::make_shared<const InUse>(std::move(sources), policy);
  const std::scoped_lock lock(mutex_);
  in_use_.swap(next);
}

std::shared_ptr<const Resolver::InUse> Resolver::in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

store::EntryKey Resolver::entry_key(const fetch::Wanted& wanted) { return {kSymcaches, "global", wanted.key}; }

Task<Outcome> Resolver::resolve(fetch::Wanted wanted) {
  const std::shared_ptr<const InUse> now = in_use();
  store::Lookup before = store_.lookup(entry_key(wanted));
  if (auto outcome = known(before, now->policy)) {
    const std::string fingerprint(fingerprint_of(before));
    bool changed = false;
    if (!fingerprint.empty()) changed = co_await any_changed(wanted, fingerprint, now);
    if (!changed) co_return std::move(*outcome);
  }
  if (const auto why = store_.no_space()) co_return Unable{*why, kNoMeansRetry};
  co_return co_await ask_sources(std::move(wanted), std::move(before), now);
}

Task<Outcome> Resolver::ask_sources(fetch::Wanted wanted, store::Lookup before, std::shared_ptr<const InUse> now) {
  Verdicts verdicts(now->sources.size());
  for (std::size_t i = 0; i < now->sources.size(); ++i) {
    fetch::Source& source = *now->sources[i];
    fetch::Outcome got = co_await source.open(wanted);
    if (auto* original = std::get_if<fetch::Original>(&got)) {
      std::string identity = original->identity;
      store::EntryKey key = entry_key(wanted);
      const Conversion conversion = co_await converter_.convert(std::move(key), wanted, std::move(*original));
      if (std::holds_alternative<Published>(conversion)) co_return ready(wanted);
      if (const auto* none = std::get_if<NoMeans>(&conversion)) co_return unable(wanted, none->why);
      if (const auto* died = std::get_if<WorkerDied>(&conversion)) {
        verdicts.died(i, died->why, std::move(identity));
        continue;
      }
      source.forget(wanted);
      if (const auto* no_use = std::get_if<NoUse>(&conversion)) verdicts.refused(i, no_use->why, std::move(identity));
      if (const auto* changing = std::get_if<StillChanging>(&conversion))
        verdicts.not_whole(i, changing->why, std::move(identity));
    } else if (const auto* refused = std::get_if<fetch::Refused>(&got)) {
      verdicts.refused(i, refused->why, refused->identity);
    } else if (const auto* not_whole = std::get_if<fetch::NotWhole>(&got)) {
      verdicts.not_whole(i, not_whole->why, not_whole->identity);
    } else if (const auto* transient = std::get_if<fetch::TransientError>(&got)) {
      verdicts.unavailable(transient->why);
    } else if (const auto* exhausted = std::get_if<fetch::Exhausted>(&got)) {
      co_return unable(wanted, exhausted->why);
    }
  }
  co_return remember(wanted, verdicts.negative(before, now->policy), now->policy);
}

/// Whether a source has another original now than the one that was refused.
Task<bool> Resolver::any_changed(fetch::Wanted wanted, std::string fingerprint, std::shared_ptr<const InUse> now) {
  for (std::size_t i = 0; i < now->sources.size(); ++i) {
    if (!may_identify(*now->sources[i], wanted.key, now->policy)) continue;
    const std::string identity = co_await now->sources[i]->identify(wanted);
    if (Fingerprint::differs(fingerprint, i, identity)) co_return true;
  }
  co_return false;
}

/// A look at a directory is cheap; a server is asked now and then.
bool Resolver::may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy) {
  if (source.is_local()) return true;
  const auto time = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  if (identified_.size() >= kMostIdentified) identified_.clear();
  const auto [found, is_new] = identified_.try_emplace(source.name() + " " + key, time);
  if (is_new) return false;  // it has only just failed
  if (time - found->second < policy.identify_again) return false;
  found->second = time;
  return true;
}

Outcome Resolver::ready(const fetch::Wanted& wanted) {
  if (auto outcome = known(store_.lookup(entry_key(wanted)), policy())) return std::move(*outcome);
  return unable(wanted, "its cache entry was deleted immediately");
}

Outcome Resolver::unable(const fetch::Wanted& wanted, const std::string& why) {
  log_(Severity::error, fmt::format("{}: {}", wanted.key, why));
  return Unable{why, kNoMeansRetry};
}

Outcome Resolver::remember(const fetch::Wanted& wanted, const store::Negative& negative, const RetryPolicy& policy) {
  const auto say = [&](Severity severity, std::string_view state, std::string_view why) {
    log_(severity, fmt::format("{} {}: {}", state, wanted.key, why));
  };
  // Anybody can ask for names that nobody has, so absences are no lines of an ordinary log.
  std::visit(overloaded{[&](const store::Absent&) { say(Severity::debug, "absent", "no source has it"); },
                        [&](const store::Malformed& m) { say(Severity::warning, "unusable", m.why); },
                        [&](const store::NotWhole& n) { say(Severity::info, "incomplete", n.why); },
                        [&](const store::Crashed& c) { say(Severity::warning, "not converted", c.why); },
                        [&](const store::Unavailable& u) { say(Severity::warning, "unavailable", u.why); }},
             negative);
  store_.remember(entry_key(wanted), negative);
  return outcome_of(negative, policy);
}

}  // namespace symcached::service
