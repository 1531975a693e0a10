#include "service/originals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hex.hpp"
#include "fetch/identity.hpp"
#include "service/verdicts.hpp"

namespace symcached::service {
namespace {

constexpr std::size_t kMostIdentified = 4096;  ///< keys; when there are more, all are forgotten
constexpr std::size_t kAskedDigits = 16;

/// All sources, in short. What was refused to one log-in says nothing of another; after a restart it is asked again.
std::string asked_of(const std::vector<std::unique_ptr<fetch::Source>>& sources) {
  std::string names;
  for (const auto& source : sources) names += fmt::format("{}\n{:x}\n", source->key(), source->credentials());
  return to_hex(store::sha256(as_bytes(names))).substr(0, kAskedDigits);
}

}  // namespace

SharedSources shared(Sources sources) {
  std::string asked = asked_of(sources.all);
  return std::make_shared<const SourceSet>(std::move(sources), std::move(asked));
}

SharedSources Originals::in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

void Originals::use(Sources sources) {
  auto next = shared(std::move(sources));
  const std::scoped_lock lock(mutex_);
  in_use_.swap(next);
}

Task<Originals::Answer> Originals::ask(fetch::Source& source, fetch::Wanted wanted, const RetryPolicy& policy) {
  const auto before = memory_.find(source, wanted);
  if (before && retry_at(*before) > store::Store::now()) co_return *before;
  if (const auto known = wanted.at_hand ? std::nullopt : memory_.find_by_places(source, wanted)) co_return *known;
  fetch::Outcome got = co_await source.open(wanted);
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&got)) co_return *exhausted;
  if (const auto* less = std::get_if<fetch::SaysLess>(&got)) co_return *less;
  if (auto* original = std::get_if<fetch::Original>(&got)) co_return std::move(*original);
  store::Negative verdict = verdict_of(got, before, policy);
  if (wanted.at_hand) co_return verdict;  // it may have what it was not asked for
  memory_.put(source, wanted, verdict);
  for (const std::string& place : source.places(wanted)) memory_.put_place(source, place, wanted, verdict);
  co_return verdict;
}

void Originals::found(fetch::Source& source, const fetch::Wanted& wanted) {
  const auto before = memory_.find(source, wanted);
  if (before && std::holds_alternative<store::Absent>(*before)) memory_.drop(source, wanted);
}

Task<bool> Originals::any_changed(std::vector<fetch::Wanted> wanted, SharedSources now) {
  bool changed = false;
  for (const fetch::Wanted& file : wanted) {
    for (const auto& source : now->sources.all) {
      if (file.at_hand && !source->is_local()) continue;
      const auto verdict = memory_.find(*source, file);
      if (!verdict || !may_identify(*source, file.key, now->sources.policy)) continue;
      const std::string identity = co_await source->identify(file);
      const std::string_view before = identity_of(*verdict);
      if (identity.empty() || !(before.empty() || fetch::is_changed(before, identity))) continue;
      memory_.drop(*source, file);
      changed = true;
    }
  }
  co_return changed;
}

std::vector<SourceStatus> Originals::said(std::span<const fetch::Wanted> wanted) {
  const SharedSources now = in_use();
  std::vector<SourceStatus> all;
  for (const fetch::Wanted& file : wanted)
    for (const auto& source : now->sources.all)
      if (auto verdict = memory_.find(*source, file))
        all.push_back({source->name(), std::string(sources::name_of(file.file.type)), std::move(*verdict)});
  return all;
}

/// A look at a directory is cheap; a server is asked now and then.
bool Originals::may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy) {
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

}  // namespace symcached::service
