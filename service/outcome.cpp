#include "service/outcome.hpp"

#include <algorithm>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kExhaustedRetry{2};

template <class State>
seconds left(const State& negative, const RetryPolicy& policy) {
  return std::max(seconds(1), std::chrono::ceil<seconds>(retry_at(negative, policy) - store::Store::now()));
}

}  // namespace

Outcome outcome_of(const store::Negative& negative, const RetryPolicy& policy) {
  return std::visit(
      overloaded{[&](const store::Absent& a) -> Outcome { return Absent{left(a, policy)}; },
                 [&](const store::Malformed& m) -> Outcome { return Failed{m.why, true, 1, left(m, policy)}; },
                 // However often it was not whole: it is worth polling until it is.
                 [&](const store::NotWhole& n) -> Outcome { return Failed{n.why, false, 1, left(n, policy)}; },
                 [&](const auto& n) -> Outcome { return Failed{n.why, false, n.failures, left(n, policy)}; }},
      negative);
}

std::optional<Outcome> known(const store::Lookup& lookup, const RetryPolicy& policy) {
  return std::visit(
      overloaded{[](const store::Hit& hit) -> std::optional<Outcome> { return Ready{hit.entry}; },
                 [](const store::Miss&) -> std::optional<Outcome> { return std::nullopt; },
                 [](const store::Exhausted& e) -> std::optional<Outcome> { return Unable{e.why, kExhaustedRetry}; },
                 [&](const auto& negative) -> std::optional<Outcome> {
                   if (retry_at(negative, policy) <= store::Store::now()) return std::nullopt;
                   return outcome_of(negative, policy);
                 }},
      lookup);
}

}  // namespace symcached::service
