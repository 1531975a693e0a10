#pragma once
/// What is written beside a part of a symcache, so that a later run can go on with it. Pure.
/// Spec: docs/protocols/symcache-http.md, "What a client does".
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wpt/version.hpp"

namespace symcached::client {

/// A symcache as the server announced it.
struct Announced {
  wpt::Version version;
  std::uint64_t size = 0;  ///< bytes; 0: not known
  std::string etag = {};   ///< as it was sent
  bool is_encoded = false;

  /// Whether a later answer can be told to go on where this one broke off: the ETag is strong, and the size is known.
  bool can_be_resumed() const;
  bool operator==(const Announced&) const = default;
};

struct PartState {
  std::string boot;  ///< of the machine: how much of a file reached the disk is not known after the next one
  Announced announced;
  bool operator==(const PartState&) const = default;
};

inline constexpr std::size_t kMaxPartState = 2 << 10;  ///< bytes

/// Five lines. Empty if it would be too long.
std::string to_text(const PartState& state);
/// @return nothing unless it is all of what to_text() wrote, of something that can be resumed
std::optional<PartState> parse_part_state(std::string_view text);

}  // namespace symcached::client
