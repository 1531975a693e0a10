#pragma once
/// Letters and digits of ASCII, whatever the locale: for names, ids and protocols that know no others.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached {

/// A to Z become a to z; all other bytes stay, so UTF-8 text stays valid.
constexpr char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_ascii(c);
  return lower;
}

/// Value of a hexadecimal digit of either case.
constexpr std::optional<std::uint8_t> hex_digit(char c) {
  const char lower = lower_ascii(c);
  if (lower >= '0' && lower <= '9') return static_cast<std::uint8_t>(lower - '0');
  if (lower >= 'a' && lower <= 'f') return static_cast<std::uint8_t>(lower - 'a' + 10);
  return std::nullopt;
}

}  // namespace symcached
