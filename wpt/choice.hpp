#pragma once
/// Which version of a symcache a request is answered with, and whether one is made first. The same rules for every
/// format of the protocol; only the lowest version differs.
/// Spec: docs/protocols/symcache-http.md, "Which version".
#include <optional>
#include <span>
#include <variant>

#include "wpt/version.hpp"

namespace symcached::wpt {

inline constexpr Version kMicrosoftMinimum{3, 0, 0};  ///< of Microsoft's format; below it names were others
inline constexpr Version kOpenMinimum{2, 1, 0};       ///< of our open format

struct Wanted {
  Version requested;                    ///< the highest the client can read: this major version or a lower one
  std::optional<Version> exceeds = {};  ///< what the client has already
  Version minimum = kMicrosoftMinimum;
};

/// A version that somebody here can make.
struct Makeable {
  Version version;
  bool is_barred =
      false;  ///< not for this key now: its PDB is known to be missing, or it failed and is not retried yet
};

struct Serve {
  Version version;                      ///< one of those cached
  std::optional<Version> upgrade = {};  ///< to be made in the background, for whoever asks next
  bool operator==(const Serve&) const = default;
};
struct Make {
  Version version;
  bool operator==(const Make&) const = default;
};
struct NothingNewer {
  bool operator==(const NothingNewer&) const = default;
};  ///< 304
struct NotThere {
  bool operator==(const NotThere&) const = default;
};  ///< 404, for good
using Choice = std::variant<Serve, Make, NothingNewer, NotThere>;

/// The version asked for, else the highest that the client can read and does not have yet. A better one that can be
/// made is waited for only where there is none to serve; nobody who gets just what was asked for causes an upgrade.
/// Of several who can make one, the highest major version makes it, unless barred.
Choice choose(const Wanted& wanted, std::span<const Version> cached, std::span<const Makeable> makeable);

}  // namespace symcached::wpt
