#include "service/outcome.hpp"

#include <algorithm>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kExhaustedRetry{2};

seconds until(store::TimePoint when) {
  return std::max(seconds(1), std::chrono::ceil<seconds>(when - store::Store::now()));
}

std::optional<Outcome> if_counts(store::Negative negative) {
  const bool counts = std::visit([](const auto& n) { return n.retry_at > store::Store::now(); }, negative);
  return counts ? std::optional(outcome_of(negative)) : std::nullopt;
}

}  // namespace

Outcome outcome_of(const store::Negative& negative) {
  return std::visit(
      overloaded{[](const store::Absent& a) -> Outcome { return Absent{until(a.retry_at)}; },
                 [](const store::Malformed& m) -> Outcome { return Failed{m.why, true, 1, until(m.retry_at)}; },
                 // However often: it is worth polling until it is whole, and until the server wants to be asked.
                 [](const store::NotWhole& n) -> Outcome { return Failed{n.why, false, 1, until(n.retry_at)}; },
                 [](const store::RateLimited& r) -> Outcome { return Failed{r.why, false, 1, until(r.retry_at)}; },
                 [](const auto& n) -> Outcome { return Failed{n.why, false, n.failures, until(n.retry_at)}; }},
      negative);
}

std::optional<Outcome> known(const store::Lookup& lookup, seconds absent_for) {
  return std::visit(
      overloaded{[](const store::Hit& hit) -> std::optional<Outcome> { return Ready{hit.entry}; },
                 [](const store::Miss&) -> std::optional<Outcome> { return std::nullopt; },
                 [](const store::Exhausted& e) -> std::optional<Outcome> { return Unable{e.why, kExhaustedRetry}; },
                 [&](store::Absent absent) -> std::optional<Outcome> {
                   absent.retry_at = std::min(absent.retry_at, absent.checked + absent_for);
                   return if_counts(std::move(absent));
                 },
                 [](const auto& negative) -> std::optional<Outcome> { return if_counts(negative); }},
      lookup);
}

}  // namespace symcached::service
