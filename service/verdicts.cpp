#include "service/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fetch/identity.hpp"

namespace symcached::service {
namespace {

constexpr char kBetween = '|';

std::string piece_of(std::string_view identity) {
  std::string piece(identity);
  std::ranges::replace(piece, kBetween, '!');
  return piece;
}

/// Failures in a row, this one counted.
template <class State>
std::uint16_t failures_after(const store::Lookup& before) {
  const auto* earlier = std::get_if<State>(&before);
  return static_cast<std::uint16_t>(earlier == nullptr ? 1 : std::min(earlier->failures + 1, 0xffff));
}

}  // namespace

std::string Fingerprint::text() const {
  if (std::ranges::all_of(identities_, [](const std::string& i) { return i.empty(); })) return {};
  std::string text;
  for (std::size_t i = 0; i < identities_.size(); ++i) {
    const std::string piece = piece_of(identities_[i]);
    if (text.size() + 1 + piece.size() > store::kMaxIdentity) break;
    text += (i == 0 ? "" : std::string(1, kBetween)) + piece;
  }
  return text;
}

bool Fingerprint::differs(std::string_view text, std::size_t source, std::string_view identity) {
  if (identity.empty()) return false;
  for (std::size_t i = 0; i < source; ++i) {
    const std::size_t between = text.find(kBetween);
    if (between == std::string_view::npos) return false;
    text.remove_prefix(between + 1);
  }
  const std::string_view before = text.substr(0, text.find(kBetween));
  return before.empty() || fetch::is_changed(before, piece_of(identity));
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
    return store::Malformed{now, fmt::format("crashed {} workers in a row: {}", deaths, died_), fingerprint};
  }
  if (!not_whole_.empty())
    return store::NotWhole{now, failures_after<store::NotWhole>(before), not_whole_, fingerprint};
  if (!unavailable_.empty()) {
    std::string why = unavailable_;
    if (!refused_.empty()) add(why, refused_);  // a source that answered explains more than one that did not
    return store::Unavailable{now, failures_after<store::Unavailable>(before), std::move(why), fingerprint};
  }
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
