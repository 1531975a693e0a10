#include "base/hex.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached {

std::string to_hex(Bytes data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(data.size() * 2);
  for (const std::byte b : data) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4];
    text += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

std::optional<std::vector<std::byte>> parse_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(*high << 4 | *low));
  }
  return bytes;
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return hex_digit(c).has_value(); });
}

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return hex_digit(c) && lower_ascii(c) == c; });
}

}  // namespace symcached
