#include "service/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/overloaded.hpp"
#include "service/key_status.hpp"
#include "store/store.hpp"

namespace symcached::service {
namespace {

using store::Negative;
using Before = std::optional<Negative>;

/// Failures in a row, this one counted.
template <class State>
std::uint16_t failures_after(const Before& before) {
  const auto* earlier = before ? std::get_if<State>(&*before) : nullptr;
  return static_cast<std::uint16_t>(earlier == nullptr ? 1 : std::min(earlier->failures + 1, 0xffff));
}

template <class State>
State failed(const BackOff& back_off, const Before& before, std::string why, std::string identity = {}) {
  const auto now = store::Store::now();
  const std::uint16_t failures = failures_after<State>(before);
  return State{{now, now + back_off.after(failures), failures, std::move(why), std::move(identity)}};
}

/// Store::Malformed or Unsupported.
template <class State = store::Malformed>
State no_use(const RetryPolicy& policy, std::string why, std::string identity) {
  const auto now = store::Store::now();
  return {{now, now + policy.malformed, 1, std::move(why), std::move(identity)}};
}

Negative verdict_of(const fetch::TransientError& error, const Before& before, const RetryPolicy& policy) {
  using Kind = fetch::TransientError::Kind;
  const auto as_asked = [&](auto state) -> Negative {
    if (error.retry_after) state.retry_at = state.checked + *error.retry_after;
    return state;
  };
  switch (error.kind) {
    case Kind::timed_out: return failed<store::TimedOut>(policy.timed_out, before, error.why);
    case Kind::forbidden: return failed<store::Forbidden>(policy.forbidden, before, error.why);
    case Kind::unavailable: return as_asked(failed<store::Unavailable>(policy.unavailable, before, error.why));
    case Kind::rate_limited: break;
  }
  return as_asked(failed<store::RateLimited>(policy.rate_limited, before, error.why));
}

Negative died(const std::string& why, std::string identity, const Before& before, const RetryPolicy& policy) {
  const Before same = before && identity_of(*before) == identity ? before : std::nullopt;
  auto crashed = failed<store::Crashed>(policy.crashed, same, why, identity);
  if (crashed.failures < policy.max_deaths) return crashed;
  return no_use(policy, fmt::format("crashed {} workers in a row: {}", crashed.failures, why), std::move(identity));
}

/// The places of Negative's alternatives among each other: what may soon be mended weighs most, for it is worth
/// waiting for; a lasting refusal says more than an absence.
constexpr int weight(const Negative& negative) {
  return std::visit(overloaded{[](const store::Absent&) { return 0; },
                               [](const store::Malformed& malformed) { return malformed.is_bare ? 1 : 2; },
                               [](const store::Unsupported&) { return 3; }, [](const store::Forbidden&) { return 4; },
                               [](const store::Unavailable&) { return 5; }, [](const store::TimedOut&) { return 6; },
                               [](const store::RateLimited&) { return 7; }, [](const store::NotWhole&) { return 8; },
                               [](const store::Crashed&) { return 9; }},
                    negative);
}

}  // namespace

Negative verdict_of(const fetch::Outcome& got, const Before& before, const RetryPolicy& policy) {
  if (const auto* refused = std::get_if<fetch::Refused>(&got)) return no_use(policy, refused->why, refused->identity);
  if (const auto* cut = std::get_if<fetch::NotWhole>(&got))
    return failed<store::NotWhole>(policy.not_whole, before, cut->why, cut->identity);
  if (const auto* error = std::get_if<fetch::TransientError>(&got)) return verdict_of(*error, before, policy);
  const auto now = store::Store::now();
  return store::Absent{.checked = now, .retry_at = now + policy.absent};
}

Negative verdict_of(const Conversion& conversion, std::string identity, const Before& before,
                    const RetryPolicy& policy) {
  if (const auto* useless = std::get_if<NoUse>(&conversion)) {
    auto verdict = no_use(policy, useless->why, std::move(identity));
    verdict.is_bare = useless->is_bare;
    return verdict;
  }
  if (const auto* other = std::get_if<NotRead>(&conversion))
    return no_use<store::Unsupported>(policy, other->why, std::move(identity));
  if (const auto* changing = std::get_if<StillChanging>(&conversion))
    return failed<store::NotWhole>(policy.not_whole, before, changing->why, std::move(identity));
  return died(std::get<WorkerDied>(conversion).why, std::move(identity), before, policy);
}

Negative combined(std::span<const Negative> verdicts, std::string asked, const RetryPolicy& policy) {
  const auto now = store::Store::now();
  Negative all = store::Absent{.checked = now, .retry_at = now + policy.absent, .asked = std::move(asked)};
  std::string why, identity;
  store::TimePoint earliest = verdicts.empty() ? retry_at(all) : store::TimePoint::max();
  std::vector<const Negative*> sorted;
  for (const Negative& verdict : verdicts) sorted.push_back(&verdict);
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const Negative* n) { return weight(*n); });
  for (const Negative* verdict : sorted) {
    earliest = std::min(earliest, retry_at(*verdict));
    if (!why_of(*verdict).empty()) why += fmt::format("{}{}", why.empty() ? "" : "; ", why_of(*verdict));
    if (identity.empty()) identity = identity_of(*verdict);
  }
  // That of the first source may be over when the last one has answered.
  earliest = std::max(earliest, now + policy.not_whole.first);
  if (!sorted.empty() && weight(*sorted.front()) > 0) all = *sorted.front();
  std::visit(overloaded{[&](store::Absent& absent) { absent.retry_at = earliest; },
                        [&](auto& failing) {
                          failing.retry_at = earliest;
                          failing.why = std::move(why);
                          failing.identity = std::move(identity);
                        }},
             all);
  return all;
}

store::TimePoint retry_at(const Negative& negative) {
  return std::visit([](const auto& n) { return n.retry_at; }, negative);
}

std::string_view identity_of(const Negative& negative) {
  return std::visit(overloaded{[](const store::Absent&) { return std::string_view(); },
                               [](const auto& failing) { return std::string_view(failing.identity); }},
                    negative);
}

bool may_have_changed(const store::Lookup& lookup) {
  return std::visit(
      [](const auto& state) {
        if constexpr (requires { state.identity; }) return !state.identity.empty();
        else return false;
      },
      lookup);
}

}  // namespace symcached::service
