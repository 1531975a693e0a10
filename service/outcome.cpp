#include "service/outcome.hpp"

#include <algorithm>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kExhaustedRetry{2};

/// Seconds until it counts no more; nothing if it does not count any more.
template <class Negative>
std::optional<seconds> left(const Negative& negative, const RetryPolicy& policy) {
  const store::TimePoint until = retry_at(negative, policy), now = store::Store::now();
  if (until <= now) return std::nullopt;
  return std::max(seconds(1), std::chrono::ceil<seconds>(until - now));
}

template <class Negative>
std::optional<Outcome> failed(const Negative& negative, const RetryPolicy& policy) {
  const auto retry_in = left(negative, policy);
  if (!retry_in) return std::nullopt;
  return Failed{negative.why, false, negative.failures, *retry_in};
}

}  // namespace

std::optional<Outcome> known(const store::Lookup& lookup, const RetryPolicy& policy) {
  using Known = std::optional<Outcome>;
  return std::visit(overloaded{[](const store::Hit& hit) -> Known { return Ready{hit.entry}; },
                               [](const store::Miss&) -> Known { return std::nullopt; },
                               [&](const store::Absent& a) -> Known {
                                 const auto retry_in = left(a, policy);
                                 return retry_in ? Known(Absent{*retry_in}) : std::nullopt;
                               },
                               [&](const store::Malformed& m) -> Known {
                                 const auto retry_in = left(m, policy);
                                 return retry_in ? Known(Failed{m.why, true, 1, *retry_in}) : std::nullopt;
                               },
                               [&](const store::Unavailable& u) -> Known { return failed(u, policy); },
                               [&](const store::NotWhole& n) -> Known {  // however often: it is worth polling until it is whole
                   const auto retry_in = left(n, policy);
                   return retry_in ? Known(Failed{n.why, false, 1, *retry_in}) : std::nullopt;
                 },
                               [&](const store::Crashed& c) -> Known { return failed(c, policy); },
                               [](const store::Exhausted& e) -> Known { return Unable{e.why, kExhaustedRetry}; }},
                    lookup);
}

}  // namespace symcached::service
