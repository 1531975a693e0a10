#include "service/resolver.hpp"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "fetch/identity.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;
using symbolize::Contents;

constexpr seconds kNoMeansRetry{5};
constexpr std::size_t kMostIdentified = 4096;  ///< keys; when there are more, all are forgotten
constexpr std::size_t kAskedDigits = 16;
constexpr std::chrono::milliseconds kLockPoll{100};  ///< how often to see whether another process is done with a key
constexpr int kMostLockPolls = 6000;                 ///< then it is done a second time rather than not at all

/// The names of all sources, in short.
std::string asked_of(const std::vector<std::unique_ptr<fetch::Source>>& sources) {
  std::string names;
  for (const auto& source : sources) names += source->name() + '\n';
  return to_hex(store::sha256(as_bytes(names))).substr(0, kAskedDigits);
}

/// The scopes whose entries a request may see, its own first.
std::vector<std::string> scopes_of(const CacheRequest& request) {
  if (request.scope == fetch::kGlobalScope) return {request.scope};
  return {request.scope, std::string(fetch::kGlobalScope)};
}

const store::Entry* entry_of(const Found& found) {
  const auto* hit = std::get_if<store::Hit>(&found.lookup);
  return hit == nullptr ? nullptr : hit->entry.get();
}

}  // namespace

Resolver::Resolver(store::Store& store, Sources sources, Converter converter, CacheVersions versions, Log log)
    : store_(store),
      converter_(std::move(converter)),
      versions_(versions),
      log_(std::move(log)),
      in_use_(in_use(std::move(sources))) {}

store::EntryKey Resolver::entry_key(const CacheRequest& request, const std::string& scope) const {
  return {versions_.of(request.kind).now, scope, request.key};
}

Resolver::Shared Resolver::in_use(Sources sources) {
  std::string asked = asked_of(sources.all);
  return std::make_shared<const InUse>(std::move(sources), std::move(asked));
}

Resolver::Shared Resolver::now_in_use() const {
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

std::optional<Found> Resolver::look(const CacheRequest& request, bool may_read) const {
  const auto look_up = [&](const store::EntryKey& key) {
    return may_read ? std::optional(store_.lookup(key)) : store_.lookup_checked(key);
  };
  std::optional<store::Lookup> own;  // where negatives are remembered
  for (const std::string& scope : scopes_of(request)) {
    auto found = look_up(entry_key(request, scope));
    if (!found) return std::nullopt;
    if (std::holds_alternative<store::Hit>(*found)) return Found{std::move(*found)};
    if (!own) own = std::move(found);
  }
  const DerivedKind& kind = versions_.of(request.kind);
  for (std::uint32_t version = kind.now.version; version-- > kind.oldest;)
    for (const std::string& scope : scopes_of(request)) {
      auto found = look_up({{kind.now.name, version}, scope, request.key});
      if (!found) return std::nullopt;
      if (std::holds_alternative<store::Hit>(*found)) return Found{std::move(*found), true};
    }
  return Found{std::move(*own)};
}

std::optional<Outcome> Resolver::known(const Found& found) const { return known(found, *now_in_use()); }

std::optional<Outcome> Resolver::known(const Found& found, const InUse& now) const {
  const auto* absent = std::get_if<store::Absent>(&found.lookup);
  if (absent != nullptr && absent->asked != now.asked) return std::nullopt;
  auto outcome = service::known(found.lookup, now.sources.policy.absent);
  if (auto* ready = outcome ? std::get_if<Ready>(&*outcome) : nullptr) ready->outdated = found.outdated;
  return outcome;
}

Task<Outcome> Resolver::resolve(CacheRequest request) {
  auto now = now_in_use();
  const Found before = *look(request, true);
  if (auto outcome = known(before, *now)) {
    bool changed = false;
    if (may_have_changed(before.lookup)) changed = co_await any_changed(request, now);
    if (!changed) co_return std::move(*outcome);
  }
  if (const auto why = store_.no_space()) co_return Unable{*why, kNoMeansRetry};
  co_return co_await make(std::move(request), std::move(now), std::nullopt);
}

Task<void> Resolver::upgrade(CacheRequest request) {
  const Found before = *look(request, true);
  const store::Entry* entry = entry_of(before);
  if (entry == nullptr || store_.no_space()) co_return;
  std::optional<Contents> have;
  if (!before.outdated) have = contents_of(entry->head().quality);
  if (have == Contents::lines) co_return;
  co_await make(std::move(request), now_in_use(), have);
}

/// One process makes a cache at a time; the others wait for it and take what it made.
Task<Outcome> Resolver::make(CacheRequest request, Shared now, std::optional<Contents> have) {
  const store::EntryKey key = entry_key(request);
  for (int polls = 0;; ++polls) {
    const auto mine = store_.try_lock(key);
    if (mine || polls == kMostLockPolls) {
      const Found before = *look(request, true);
      const store::Entry* made_meanwhile = before.outdated ? nullptr : entry_of(before);
      if (made_meanwhile != nullptr && (!have || contents_of(made_meanwhile->head().quality) > *have))
        co_return *known(before, *now);
      co_return co_await ask_all(std::move(request), std::move(now), have);
    }
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kLockPoll);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

/// Candidates in their order, the best first: as soon as there is a cache, only those that may say more are asked for.
Task<Outcome> Resolver::ask_all(CacheRequest request, Shared now, std::optional<Contents> have) {
  std::vector<store::Negative> verdicts;
  std::optional<Outcome> made;
  for (const Candidate& candidate : request.candidates) {
    for (const auto& source : now->sources.all) {
      if (have && candidate.best <= *have) break;
      const std::string scope = source->is_public() ? std::string(fetch::kGlobalScope) : request.scope;
      Order order{entry_key(request, scope), candidate.wanted, request.kind, have, now->sources.policy.settling};
      Answer answer = co_await ask(*source, std::move(order), now->sources.policy);
      if (auto* end = std::get_if<Outcome>(&answer)) co_return std::move(*end);
      if (auto* published = std::get_if<Published>(&answer)) {
        have = published->contents;
        made = Ready{std::move(published->entry)};
      } else if (auto* verdict = std::get_if<store::Negative>(&answer)) {
        verdicts.push_back(std::move(*verdict));
      }
    }
  }
  if (made) co_return std::move(*made);
  const store::Negative all = combined(verdicts, now->asked, now->sources.policy);
  if (have) co_return outcome_of(all);  // nothing better: what there is stays
  co_return remember(request, all);
}

Task<Resolver::Answer> Resolver::ask(fetch::Source& source, Order order, const RetryPolicy& policy) {
  const std::string key = order.wanted.key;
  const auto before = memory_.find(source, key);
  if (before && retry_at(*before) > store::Store::now()) co_return *before;
  fetch::Outcome got = co_await source.open(order.wanted);
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&got)) co_return unable(key, exhausted->why);
  if (auto* original = std::get_if<fetch::Original>(&got))
    co_return co_await use_original(source, std::move(order), std::move(*original), policy);
  store::Negative verdict = verdict_of(got, before, policy);
  memory_.put(source, key, verdict);
  co_return verdict;
}

Task<Resolver::Answer> Resolver::use_original(fetch::Source& source, Order order, fetch::Original original,
                                              const RetryPolicy& policy) {
  const fetch::Wanted wanted = order.wanted;
  std::string identity = original.identity;
  Conversion conversion = co_await converter_.convert(std::move(order), std::move(original));
  if (auto* published = std::get_if<Published>(&conversion)) co_return std::move(*published);
  if (const auto* same = std::get_if<NotBetter>(&conversion)) co_return *same;
  if (const auto* none = std::get_if<NoMeans>(&conversion)) co_return unable(wanted.key, none->why);
  if (!std::holds_alternative<WorkerDied>(conversion)) source.forget(wanted);
  store::Negative verdict = verdict_of(conversion, std::move(identity), memory_.find(source, wanted.key), policy);
  memory_.put(source, wanted.key, verdict);
  co_return verdict;
}

/// Whether a source has another original now than the one that was refused, or one at last.
Task<bool> Resolver::any_changed(CacheRequest request, Shared now) {
  bool changed = false;
  for (const Candidate& candidate : request.candidates) {
    for (const auto& source : now->sources.all) {
      const std::string& key = candidate.wanted.key;
      const auto verdict = memory_.find(*source, key);
      if (!verdict || !may_identify(*source, key, now->sources.policy)) continue;
      const std::string identity = co_await source->identify(candidate.wanted);
      const std::string_view before = service::identity_of(*verdict);
      if (identity.empty() || !(before.empty() || fetch::is_changed(before, identity))) continue;
      memory_.drop(*source, key);
      changed = true;
    }
  }
  co_return changed;
}

/// A look at a directory is cheap; a server is asked now and then.
bool Resolver::may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy) {
  if (source.is_local()) return true;
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  if (identified_.size() >= kMostIdentified) identified_.clear();
  const auto [found, is_new] = identified_.try_emplace(SourceMemory::name_of(source, key), now);
  if (is_new) return false;  // it has only just failed
  if (now - found->second < policy.identify_again) return false;
  found->second = now;
  return true;
}

Outcome Resolver::unable(const std::string& key, const std::string& why) {
  log_(Severity::error, fmt::format("{}: {}", key, why));
  return Unable{why, kNoMeansRetry};
}

Outcome Resolver::remember(const CacheRequest& request, const store::Negative& negative) {
  const auto say = [&](Severity severity, std::string_view state, std::string_view why) {
    log_(severity, fmt::format("{} {}: {}", state, request.key, why));
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
  store_.remember(entry_key(request), negative);
  return outcome_of(negative);
}

}  // namespace symcached::service
