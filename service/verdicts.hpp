#pragma once
/// What the sources said of a key when none had a usable original, and what is to be remembered of it.
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fetch/outcome.hpp"
#include "service/converter.hpp"
#include "service/retry_policy.hpp"
#include "store/lookup.hpp"

namespace symcached::service {

/// What one source said, as it is to be remembered.
/// @param got     no Original, no Exhausted and no SaysLess
/// @param before  what was remembered of the same source and key: failures in a row are counted
store::Negative verdict_of(const fetch::Outcome& got, const std::optional<store::Negative>& before,
                           const RetryPolicy& policy);
/// The same of an original that could not be converted.
/// @param failed    neither Published nor NoMeans
/// @param identity  of the original
store::Negative verdict_of(const Conversion& failed, std::string identity, const std::optional<store::Negative>& before,
                           const RetryPolicy& policy);

/// What all sources together said: the state that says most, the reasons of all, the earliest time.
/// @param asked  for Absent::asked
store::Negative combined(std::span<const store::Negative> verdicts, std::string asked, const RetryPolicy& policy);

store::TimePoint retry_at(const store::Negative& negative);
/// What the original was when it failed; empty if it did not, or if that cannot be told.
std::string_view identity_of(const store::Negative& negative);
/// Whether somebody may put another original in the place of one that was no use.
bool may_have_changed(const store::Lookup& lookup);

}  // namespace symcached::service
