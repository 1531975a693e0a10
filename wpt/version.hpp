#pragma once
/// Three-part versions as the SymCache protocol has them.
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::wpt {

struct Version {
  std::uint32_t major_part = 0;
  std::uint32_t minor_part = 0;
  std::uint32_t patch_part = 0;

  auto operator<=>(const Version&) const = default;
  /// "3.1.0" and nothing around it; leading zeros do not count; parts up to 32 bits.
  static std::optional<Version> parse(std::string_view text);
  std::string to_string() const;
};

/// Digits only, leading zeros allowed. Nothing if there is anything else, or more than 32 bits.
std::optional<std::uint32_t> parse_decimal(std::string_view text);

}  // namespace symcached::wpt
