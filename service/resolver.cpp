#include "service/resolver.hpp"

#include <fmt/format.h>

#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "fetch/identity.hpp"
#include "service/cache_versions.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kNoMeansRetry{5};
constexpr std::size_t kMostIdentified = 4096;  ///< keys; when there are more, all are forgotten
constexpr std::size_t kAskedDigits = 16;

/// The names of all sources, in short.
std::string asked_of(const std::vector<std::unique_ptr<fetch::Source>>& sources) {
  std::string names;
  for (const auto& source : sources) names += source->name() + '\n';
  return to_hex(store::sha256(as_bytes(names))).substr(0, kAskedDigits);
}

}  // namespace

Resolver::Resolver(store::Store& store, Sources sources, Converter converter, Log log)
    : store_(store), converter_(std::move(converter)), log_(std::move(log)), in_use_(in_use(std::move(sources))) {}

store::EntryKey Resolver::entry_key(const fetch::Wanted& wanted) { return {kSymcaches, "global", wanted.key}; }

std::shared_ptr<const Resolver::InUse> Resolver::in_use(Sources sources) {
  std::string asked = asked_of(sources.all);
  return std::make_shared<const InUse>(std::move(sources), std::move(asked));
}

std::shared_ptr<const Resolver::InUse> Resolver::now_in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

/// What was said of keys by all sources together is forgotten; what each said of them is not.
void Resolver::use(Sources sources) {
  auto next = in_use(std::move(sources));
  {
    const std::scoped_lock lock(mutex_);
    in_use_.swap(next);
  }
  store_.forget_negatives();
}

std::optional<Outcome> Resolver::known(const store::Lookup& lookup) const { return known(lookup, *now_in_use()); }

std::optional<Outcome> Resolver::known(const store::Lookup& lookup, const InUse& now) const {
  const auto* absent = std::get_if<store::Absent>(&lookup);
  if (absent != nullptr && absent->asked != now.asked) return std::nullopt;
  return service::known(lookup, now.sources.policy.absent);
}

Task<Outcome> Resolver::resolve(fetch::Wanted wanted) {
  auto now = now_in_use();
  const store::Lookup before = store_.lookup(entry_key(wanted));
  if (auto outcome = known(before, *now)) {
    bool changed = false;
    if (may_have_changed(before)) changed = co_await any_changed(wanted, now);
    if (!changed) co_return std::move(*outcome);
  }
  if (const auto why = store_.no_space()) co_return Unable{*why, kNoMeansRetry};
  co_return co_await ask_all(std::move(wanted), std::move(now));
}

Task<Outcome> Resolver::ask_all(fetch::Wanted wanted, std::shared_ptr<const InUse> now) {
  std::vector<store::Negative> verdicts;
  for (const auto& source : now->sources.all) {
    Answer answer = co_await ask(*source, wanted, now->sources.policy);
    if (auto* outcome = std::get_if<Outcome>(&answer)) co_return std::move(*outcome);
    verdicts.push_back(std::get<store::Negative>(std::move(answer)));
  }
  co_return remember(wanted, combined(verdicts, now->asked, now->sources.policy));
}

Task<Resolver::Answer> Resolver::ask(fetch::Source& source, fetch::Wanted wanted, const RetryPolicy& policy) {
  const auto before = memory_.find(source, wanted.key);
  if (before && retry_at(*before) > store::Store::now()) co_return *before;
  fetch::Outcome got = co_await source.open(wanted);
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&got)) co_return unable(wanted, exhausted->why);
  if (auto* original = std::get_if<fetch::Original>(&got))
    co_return co_await use_original(source, std::move(wanted), std::move(*original), policy);
  store::Negative verdict = verdict_of(got, before, policy);
  memory_.put(source, wanted.key, verdict);
  co_return verdict;
}

Task<Resolver::Answer> Resolver::use_original(fetch::Source& source, fetch::Wanted wanted, fetch::Original original,
                                              const RetryPolicy& policy) {
  std::string identity = original.identity;
  store::EntryKey key = entry_key(wanted);
  const Conversion conversion =
      co_await converter_.convert(std::move(key), wanted, std::move(original), policy.settling);
  if (std::holds_alternative<Published>(conversion)) co_return ready(wanted, *now_in_use());
  if (const auto* none = std::get_if<NoMeans>(&conversion)) co_return unable(wanted, none->why);
  if (!std::holds_alternative<WorkerDied>(conversion)) source.forget(wanted);
  store::Negative verdict = verdict_of(conversion, std::move(identity), memory_.find(source, wanted.key), policy);
  memory_.put(source, wanted.key, verdict);
  co_return verdict;
}

/// Whether a source has another original now than the one that was refused, or one at last.
Task<bool> Resolver::any_changed(fetch::Wanted wanted, std::shared_ptr<const InUse> now) {
  bool changed = false;
  for (const auto& source : now->sources.all) {
    const auto verdict = memory_.find(*source, wanted.key);
    if (!verdict || !may_identify(*source, wanted.key, now->sources.policy)) continue;
    const std::string identity = co_await source->identify(wanted);
    const std::string_view before = service::identity_of(*verdict);
    if (identity.empty() || !(before.empty() || fetch::is_changed(before, identity))) continue;
    memory_.drop(*source, wanted.key);
    changed = true;
  }
  co_return changed;
}

/// A look at a directory is cheap; a server is asked now and then.
bool Resolver::may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy) {
  if (source.is_local()) return true;
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  if (identified_.size() >= kMostIdentified) identified_.clear();
  const auto [found, is_new] = identified_.try_emplace(source.name() + " " + key, now);
  if (is_new) return false;  // it has only just failed
  if (now - found->second < policy.identify_again) return false;
  found->second = now;
  return true;
}

Outcome Resolver::ready(const fetch::Wanted& wanted, const InUse& now) {
  if (auto outcome = known(store_.lookup(entry_key(wanted)), now)) return std::move(*outcome);
  return unable(wanted, "its cache entry was deleted immediately");
}

Outcome Resolver::unable(const fetch::Wanted& wanted, const std::string& why) {
  log_(Severity::error, fmt::format("{}: {}", wanted.key, why));
  return Unable{why, kNoMeansRetry};
}

Outcome Resolver::remember(const fetch::Wanted& wanted, const store::Negative& negative) {
  const auto say = [&](Severity severity, std::string_view state, std::string_view why) {
    log_(severity, fmt::format("{} {}: {}", state, wanted.key, why));
  };
  // Anybody can ask for names that nobody has, so absences are no lines of an ordinary log.
  std::visit(overloaded{[&](const store::Absent&) { say(Severity::debug, "absent", "no source has it"); },
                        [&](const store::Malformed& m) { say(Severity::warning, "unusable", m.why); },
                        [&](const store::NotWhole& n) { say(Severity::info, "incomplete", n.why); },
                        [&](const store::Crashed& c) { say(Severity::warning, "not converted", c.why); },
                        [&](const store::TimedOut& t) { say(Severity::warning, "timed out", t.why); },
                        [&](const store::Forbidden& f) { say(Severity::warning, "forbidden", f.why); },
                        [&](const store::RateLimited& r) { say(Severity::warning, "rate limited", r.why); },
                        [&](const store::Unavailable& u) { say(Severity::warning, "unavailable", u.why); }},
             negative);
  store_.remember(entry_key(wanted), negative);
  return outcome_of(negative);
}

}  // namespace symcached::service
