#include "wpt/choice.hpp"

#include <algorithm>

namespace symcached::wpt {
namespace {

bool is_readable(const Wanted& wanted, const Version& version) {
  return version >= wanted.minimum && version.major_part <= wanted.requested.major_part;
}
bool is_newer(const Wanted& wanted, const Version& version) { return !wanted.exceeds || version > *wanted.exceeds; }

std::optional<Version> to_serve(const Wanted& wanted, std::span<const Version> cached) {
  std::optional<Version> best;
  for (const Version& version : cached) {
    if (!is_readable(wanted, version) || !is_newer(wanted, version)) continue;
    if (version == wanted.requested) return version;
    if (!best || version > *best) best = version;
  }
  return best;
}

std::optional<Version> to_make(const Wanted& wanted, std::span<const Makeable> makeable) {
  std::optional<Version> best;
  for (const Makeable& row : makeable)
    if (!row.is_barred && is_readable(wanted, row.version) && (!best || row.version > *best)) best = row.version;
  return best;
}

}  // namespace

Choice choose(const Wanted& wanted, std::span<const Version> cached, std::span<const Makeable> makeable) {
  if (wanted.requested < wanted.minimum) return NotThere{};
  const auto serve = to_serve(wanted, cached);
  const auto make = to_make(wanted, makeable);
  if (serve) {
    const bool is_better = make && *serve != wanted.requested && *make > *serve;
    return Serve{*serve, is_better ? make : std::nullopt};
  }
  if (make && is_newer(wanted, *make)) return Make{*make};
  const auto client_has = [&](const Version& v) { return is_readable(wanted, v) && !is_newer(wanted, v); };
  if (make || std::ranges::any_of(cached, client_has)) return NothingNewer{};
  return NotThere{};
}

}  // namespace symcached::wpt
