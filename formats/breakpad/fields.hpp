#pragma once
/// Fields of one line: separated by blanks, numbers in hexadecimal or decimal.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"

namespace symcached::breakpad {

inline constexpr std::uint8_t kNoDigit = 0xFF;
/// Value of each byte as a hexadecimal digit, for the loops that see every line.
inline constexpr auto kHexValues = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::size_t c = 0; c < values.size(); ++c) values[c] = hex_digit(static_cast<char>(c)).value_or(kNoDigit);
  return values;
}();

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  /// What is left, without blanks before it: a name that may hold blanks itself.
  std::string_view rest() {
    std::size_t n = 0;
    while (n < rest_.size() && is_blank(rest_[n])) ++n;
    rest_.remove_prefix(n);
    return rest_;
  }
  bool at_end() { return rest().empty(); }
  /// Empty at the end of the line.
  std::string_view word() {
    rest();
    std::size_t n = 0;
    while (n < rest_.size() && !is_blank(rest_[n])) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  /// A number of at most 64 bits that ends at a blank or with the line; nothing else moves the cursor.
  std::optional<std::uint64_t> hex() {
    rest();
    std::uint64_t value = 0;
    std::size_t n = 0;
    for (; n < rest_.size(); ++n) {
      const std::uint8_t digit = kHexValues[static_cast<std::uint8_t>(rest_[n])];
      if (digit == kNoDigit) break;
      if (value >> 60 != 0) return std::nullopt;
      value = value << 4 | digit;
    }
    return ended(n, value);
  }
  /// The same in decimal, of at most 32 bits.
  std::optional<std::uint32_t> decimal() {
    rest();
    std::uint64_t value = 0;
    std::size_t n = 0;
    for (; n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9'; ++n) {
      value = value * 10 + static_cast<std::uint64_t>(rest_[n] - '0');
      if (value > 0xFFFFFFFF) return std::nullopt;
    }
    const auto whole = ended(n, value);
    return whole ? std::optional(static_cast<std::uint32_t>(*whole)) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> ended(std::size_t n, std::uint64_t value) {
    if (n == 0 || (n < rest_.size() && !is_blank(rest_[n]))) return std::nullopt;
    rest_.remove_prefix(n);
    return value;
  }
  std::string_view rest_;
};

}  // namespace symcached::breakpad
