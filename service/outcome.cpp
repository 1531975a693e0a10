#include "service/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

constexpr seconds kExhaustedRetry{2};
constexpr seconds kFaultRetry{10};

seconds until(store::TimePoint when) {
  return std::max(seconds(1), std::chrono::ceil<seconds>(when - store::Store::now()));
}

}  // namespace

Outcome outcome_of(const store::Negative& negative) {
  using Kind = Failed::Kind;
  const auto failed = [](const store::Failing& f, Kind kind, std::uint16_t failures) -> Outcome {
    const bool is_lasting = kind == Kind::malformed || kind == Kind::bare || kind == Kind::unsupported;
    return Failed{f.why, is_lasting, failures, until(f.retry_at), kind};
  };
  return std::visit(
      overloaded{[](const store::Absent& a) -> Outcome { return Absent{until(a.retry_at)}; },
                 [&](const store::Malformed& m) { return failed(m, m.is_bare ? Kind::bare : Kind::malformed, 1); },
                 [&](const store::Unsupported& u) { return failed(u, Kind::unsupported, 1); },
                 // However often: it is worth polling until it is whole, and until the server wants to be asked.
                 [&](const store::NotWhole& n) { return failed(n, Kind::not_whole, 1); },
                 [&](const store::RateLimited& r) { return failed(r, Kind::rate_limited, 1); },
                 [&](const store::Crashed& c) { return failed(c, Kind::crashed, c.failures); },
                 [&](const store::TimedOut& t) { return failed(t, Kind::timed_out, t.failures); },
                 [&](const store::Forbidden& f) { return failed(f, Kind::forbidden, f.failures); },
                 [&](const store::Unavailable& u) { return failed(u, Kind::unavailable, u.failures); }},
      negative);
}

std::optional<store::Negative> counting(const store::Lookup& lookup, seconds absent_for) {
  using Negative = std::optional<store::Negative>;
  auto negative =
      std::visit(overloaded{[](const store::Hit&) { return Negative(); }, [](const store::Miss&) { return Negative(); },
                            [](const store::Exhausted&) { return Negative(); },
                            [](const auto& remembered) { return Negative(remembered); }},
                 lookup);
  if (!negative) return std::nullopt;
  if (auto* absent = std::get_if<store::Absent>(&*negative))
    absent->retry_at = std::min(absent->retry_at, absent->checked + absent_for);
  const bool counts = std::visit([](const auto& n) { return n.retry_at > store::Store::now(); }, *negative);
  return counts ? std::move(negative) : std::nullopt;
}

std::optional<Outcome> known(const store::Lookup& lookup, seconds absent_for) {
  if (const auto* hit = std::get_if<store::Hit>(&lookup)) return Ready{hit->entry};
  if (const auto* exhausted = std::get_if<store::Exhausted>(&lookup)) return Unable{exhausted->why, kExhaustedRetry};
  const auto negative = counting(lookup, absent_for);
  return negative ? std::optional(outcome_of(*negative)) : std::nullopt;
}

Unable after_fault(const Log& log, std::string_view key, const char* fault) {
  if (fault == nullptr) return Unable{"out of memory", kFaultRetry};  // short enough not to be allocated
  log(Severity::error, fmt::format("{}: internal error: {}", key, fault));
  return Unable{"internal error; see the server's log", kFaultRetry};
}

}  // namespace symcached::service
