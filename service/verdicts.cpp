#include "service/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hex.hpp"
#include "store/sha256.hpp"

namespace symcached::service {
namespace {

constexpr std::size_t kDigits = 16;       ///< of each digest
constexpr std::size_t kMostSources = 30;  ///< as many as the store's line for an identity holds

std::string digest_of(std::string_view identity) {
  return identity.empty() ? "-" : to_hex(store::sha256(as_bytes(identity))).substr(0, kDigits);
}

/// Failures in a row, this one counted.
template <class State>
std::uint16_t failures_after(const store::Lookup& before) {
  const auto* earlier = std::get_if<State>(&before);
  return static_cast<std::uint16_t>(earlier == nullptr ? 1 : std::min(earlier->failures + 1, 0xffff));
}

}  // namespace

std::string Fingerprint::text() const {
  std::string text;
  const bool any = std::ranges::any_of(identities_, [](const std::string& i) { return !i.empty(); });
  for (std::size_t i = 0; any && i < std::min(identities_.size(), kMostSources); ++i)
    text += (i == 0 ? "" : " ") + digest_of(identities_[i]);
  return text;
}

bool Fingerprint::differs(std::string_view text, std::size_t source, std::string_view identity) {
  if (identity.empty() || source >= kMostSources) return false;
  for (std::size_t i = 0; i < source; ++i) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return false;  // of another set of sources
    text.remove_prefix(blank + 1);
  }
  return text.substr(0, text.find(' ')) != digest_of(identity);
}

void Verdicts::add(std::string& all, std::string why) { all += (all.empty() ? "" : "; ") + std::move(why); }

void Verdicts::refused(std::size_t source, std::string why, std::string identity) {
  add(refused_, std::move(why));
  fingerprint_.set(source, std::move(identity));
}

void Verdicts::not_whole(std::size_t source, std::string why, std::string identity) {
  add(not_whole_, std::move(why));
  fingerprint_.set(source, std::move(identity));
}

void Verdicts::died(std::size_t source, std::string why, std::string identity) {
  add(died_, std::move(why));
  fingerprint_.set(source, std::move(identity));
}

store::Negative Verdicts::negative(const store::Lookup& before, const RetryPolicy& policy) const {
  const auto now = store::Store::now();
  const std::string fingerprint = fingerprint_.text();
  if (!died_.empty()) {
    const bool same = fingerprint_of(before) == fingerprint;
    const std::uint16_t deaths = same ? failures_after<store::Crashed>(before) : std::uint16_t{1};
    if (deaths < policy.max_deaths) return store::Crashed{now, deaths, died_, fingerprint};
    return store::Malformed{now, fmt::format("ended {} workers in a row: {}", deaths, died_), fingerprint};
  }
  if (!not_whole_.empty())
    return store::NotWhole{now, failures_after<store::NotWhole>(before), not_whole_, fingerprint};
  if (!unavailable_.empty())
    return store::Unavailable{now, failures_after<store::Unavailable>(before), unavailable_, fingerprint};
  if (!refused_.empty()) return store::Malformed{now, refused_, fingerprint};
  return store::Absent{now};
}

std::string_view fingerprint_of(const store::Lookup& lookup) {
  if (const auto* malformed = std::get_if<store::Malformed>(&lookup)) return malformed->identity;
  if (const auto* not_whole = std::get_if<store::NotWhole>(&lookup)) return not_whole->identity;
  if (const auto* crashed = std::get_if<store::Crashed>(&lookup)) return crashed->identity;
  return {};
}

}  // namespace symcached::service
