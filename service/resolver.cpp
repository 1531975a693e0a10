#include "service/resolver.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "base/overloaded.hpp"
#include "service/key_turn.hpp"
#include "service/ranking.hpp"
#include "service/source_memory.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;
using symbolize::Contents;

constexpr seconds kNoMeansRetry{5};

const store::Entry* entry_of(const Found& found) {
  const auto* hit = std::get_if<store::Hit>(&found.lookup);
  return hit == nullptr ? nullptr : hit->entry.get();
}

bool may_hide_names(const Order& order) {
  const sources::FileType type = order.wanted.file.type;
  return order.kind == symbolize::CacheKind::symcache &&
         (type == sources::FileType::mach_debug || type == sources::FileType::mach_code);
}

/// Holds none if there are no more.
std::shared_ptr<const Descriptor> again(const Descriptor& file) {
  return std::make_shared<const Descriptor>(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
}

}  // namespace

store::EntryKey Resolver::entry_key(const CacheRequest& request, const std::string& scope) const {
  return {versions_.of(request.query.kind()).now, scope, request.key};
}

store::EntryKey Resolver::negative_key(const CacheRequest& request) const {
  store::EntryKey key = entry_key(request, request.query.scope);
  key.readable += checksum_text(request.query.module.checksums);
  if (request.sources) key.readable += fmt::format(" of {}", request.sources->asked);
  return key;
}

SharedSources Resolver::sources_of(const CacheRequest& request) const {
  return request.sources ? request.sources : originals_.in_use();
}

std::optional<Found> Resolver::look(const CacheRequest& request, bool may_read) const {
  const DerivedKind& kind = versions_.of(request.query.kind());
  const std::array visible{std::string_view(request.query.scope), fetch::kGlobalScope};
  const std::span scopes(visible.data(), visible.front() == visible.back() ? 1 : 2);
  std::optional<store::Lookup> own;  // where negatives are remembered
  for (std::uint32_t version = kind.now.version + 1; version-- > kind.oldest;)
    for (const std::string_view scope : scopes) {
      const store::EntryKey key{{kind.now.name, version}, std::string(scope), request.key};
      auto found = may_read ? store_.lookup(key) : store_.lookup_checked(key);
      if (!found) return std::nullopt;
      if (std::holds_alternative<store::Hit>(*found)) return Found{std::move(*found), version != kind.now.version};
      if (!own) own = std::move(found);
    }
  if (!request.sources && request.query.module.checksums.empty()) return Found{std::move(*own)};
  auto of_its_sources = may_read ? store_.lookup(negative_key(request)) : store_.lookup_checked(negative_key(request));
  if (!of_its_sources) return std::nullopt;
  return Found{std::move(*of_its_sources)};
}

std::optional<Outcome> Resolver::known(Found found, const CacheRequest& request) const {
  if (auto* hit = std::get_if<store::Hit>(&found.lookup)) return Ready{std::move(hit->entry), found.outdated};
  return known(found, *sources_of(request));
}

std::optional<Outcome> Resolver::known(const Found& found, const SourceSet& now) const {
  const auto* absent = std::get_if<store::Absent>(&found.lookup);
  if (absent != nullptr && absent->asked != now.asked) return std::nullopt;
  auto outcome = service::known(found.lookup, now.sources.policy.absent);
  if (auto* ready = outcome ? std::get_if<Ready>(&*outcome) : nullptr) ready->outdated = found.outdated;
  return outcome;
}

Task<Outcome> Resolver::resolve(CacheRequest request) {
  auto now = sources_of(request);
  const Found before = *look(request, true);
  if (auto outcome = known(before, *now)) {
    bool changed = false;
    if (may_have_changed(before.lookup)) changed = co_await originals_.any_changed(request.files(), now);
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
  auto now = sources_of(request);
  co_await make(std::move(request), std::move(now), have);
}

Task<Outcome> Resolver::make(CacheRequest request, SharedSources now, std::optional<Contents> have) {
  const auto turn = co_await wait_for_turn(store_, entry_key(request, request.query.scope));
  const Found before = *look(request, true);
  const store::Entry* made_meanwhile = before.outdated ? nullptr : entry_of(before);
  if (made_meanwhile != nullptr && (!have || contents_of(made_meanwhile->head().quality) > *have))
    co_return *known(before, *now);
  co_return co_await ask_all(std::move(request), std::move(now), have);
}

Task<Outcome> Resolver::ask_all(CacheRequest request, SharedSources now, std::optional<Contents> have) {
  std::vector<store::Negative> verdicts;
  std::optional<Outcome> made;
  const auto& sources = now->sources.all;
  const RetryPolicy& policy = now->sources.policy;
  Ranking ranking(request.candidates(), sources.size(), have);
  while (auto turn = ranking.next()) {
    fetch::Source& source = *sources[turn->source];
    const std::string scope = source.is_public() ? std::string(fetch::kGlobalScope) : request.query.scope;
    Order order{entry_key(request, scope), turn->wanted, request.query.kind(), ranking.have(), policy.settling};
    Answer answer = co_await ask(source, std::move(order), now);
    if (auto* end = std::get_if<Outcome>(&answer)) co_return std::move(*end);
    if (auto* published = std::get_if<Published>(&answer)) {
      ranking.made(published->contents);
      made = Ready{std::move(published->entry)};
    } else if (const auto* less = std::get_if<fetch::SaysLess>(&answer)) {
      ranking.put_off(std::move(*turn), less->best);
    } else if (auto* verdict = std::get_if<store::Negative>(&answer)) {
      verdicts.push_back(std::move(*verdict));
    }
  }
  if (made) co_return std::move(*made);
  const store::Negative all = combined(verdicts, now->asked, policy);
  if (have) co_return outcome_of(all);  // nothing better: what there is stays
  co_return remember(request, all);
}

Task<Resolver::Answer> Resolver::ask(fetch::Source& source, Order order, SharedSources now) {
  Originals::Answer answer = co_await originals_.ask(source, order.wanted, now->sources.policy);
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&answer))
    co_return unable(order.wanted.key, exhausted->why);
  if (const auto* less = std::get_if<fetch::SaysLess>(&answer)) co_return *less;
  if (auto* verdict = std::get_if<store::Negative>(&answer)) co_return std::move(*verdict);
  co_return co_await use_original(source, std::move(order), std::get<fetch::Original>(std::move(answer)),
                                  std::move(now));
}

Task<Resolver::Answer> Resolver::use_original(fetch::Source& source, Order order, fetch::Original original,
                                              SharedSources now) {
  const RetryPolicy& policy = now->sources.policy;
  const fetch::Wanted wanted = order.wanted;
  std::string identity = original.identity;
  Conversion conversion = co_await convert(std::move(order), std::move(original), now);
  if (auto* published = std::get_if<Published>(&conversion)) co_return std::move(*published);
  if (const auto* same = std::get_if<NotBetter>(&conversion)) co_return *same;
  if (const auto* none = std::get_if<NoMeans>(&conversion)) co_return unable(wanted.key, none->why);
  store::Negative verdict = verdict_of(conversion, std::move(identity), originals_.said(source, wanted), policy);
  if (wanted.at_hand) co_return verdict;  // it was fetched for something else, which it may be good for
  if (!std::holds_alternative<WorkerDied>(conversion)) source.forget(wanted);
  originals_.refuse(source, wanted, verdict);
  co_return verdict;
}

Task<Conversion> Resolver::convert(Order order, fetch::Original original, SharedSources now) {
  std::vector<FurtherFile> further;
  const auto file = may_hide_names(order) ? again(original.file) : nullptr;
  if (file && *file) {
    worker::Input input{file, original.offset != 0};
    const Extent extent{original.offset, original.size};
    HiddenNames::Found names =
        co_await hidden_names_.find(std::move(input), extent, order.wanted.scope, std::move(now));
    constexpr Contents kMost = symbolize::with_hidden_names(Contents::lines);
    if (names.are_hidden && !names.map && order.better_than && *order.better_than >= kMost) co_return NotBetter{kMost};
    if (names.map && names.is_private) order.key.scope = order.wanted.scope;
    if (names.map) further.push_back(std::move(*names.map));
  }
  co_return co_await converter_.convert(std::move(order), std::move(original), std::move(further));
}

Outcome Resolver::unable(const std::string& key, const std::string& why) {
  log_(Severity::error, fmt::format("{}: {}", key, why));
  return Unable{why, kNoMeansRetry};
}

Outcome Resolver::remember(const CacheRequest& request, const store::Negative& negative) {
  tell(log_, request.key, negative);
  store_.remember(negative_key(request), negative);
  return outcome_of(negative);
}

}  // namespace symcached::service
