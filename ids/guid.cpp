#include "ids/guid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached {
namespace {

std::optional<Guid> from_digits(std::string_view digits) {
  if (digits.size() != 32) return std::nullopt;
  Guid guid;
  for (std::size_t i = 0; i < 16; ++i) {
    const auto high = hex_digit(digits[2 * i]);
    const auto low = hex_digit(digits[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    guid.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return guid;
}

std::optional<Guid> from_dashed(std::string_view text) {
  constexpr std::array<std::size_t, 4> kDashes{8, 13, 18, 23};
  if (text.size() != 36) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash_here = std::ranges::find(kDashes, i) != kDashes.end();
    if (dash_here != (text[i] == '-')) return std::nullopt;
    if (!dash_here) digits += text[i];
  }
  return from_digits(digits);
}

/// {0x00000000,0x0000,0x0000,{0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00}}: each number may have fewer digits.
std::optional<Guid> from_x_form(std::string_view text) {
  constexpr std::array<std::size_t, 11> kWidths{8, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2};
  std::string digits;
  std::size_t at = 0;
  const auto expect = [&](std::string_view word) {
    if (!text.substr(std::min(at, text.size())).starts_with(word)) return false;
    at += word.size();
    return true;
  };
  if (!expect("{")) return std::nullopt;
  for (std::size_t field = 0; field < kWidths.size(); ++field) {
    if (field == 3 && !expect("{")) return std::nullopt;
    if (!expect("0x") && !expect("0X")) return std::nullopt;
    std::size_t end = at;
    while (end < text.size() && hex_digit(text[end])) ++end;
    const std::size_t width = end - at;
    if (width == 0 || width > kWidths[field]) return std::nullopt;
    digits.append(kWidths[field] - width, '0').append(text.substr(at, width));
    at = end;
    if (field + 1 < kWidths.size() && !expect(",")) return std::nullopt;
  }
  if (!expect("}}") || at != text.size()) return std::nullopt;
  return from_digits(digits);
}

std::string hex(const Guid& guid, const char* digits) {
  std::string text;
  text.reserve(40);  // an age often follows
  for (const std::uint8_t byte : guid.bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

Guid Guid::from_windows(const std::array<std::uint8_t, 16>& disk) {
  Guid guid{disk};
  std::reverse(guid.bytes.begin(), guid.bytes.begin() + 4);
  std::reverse(guid.bytes.begin() + 4, guid.bytes.begin() + 6);
  std::reverse(guid.bytes.begin() + 6, guid.bytes.begin() + 8);
  return guid;
}

std::optional<Guid> Guid::parse(std::string_view text) {
  if (text.starts_with("{0x") || text.starts_with("{0X")) return from_x_form(text);
  const bool braces = text.size() == 38 && text.front() == '{' && text.back() == '}';
  const bool parentheses = text.size() == 38 && text.front() == '(' && text.back() == ')';
  if (braces || parentheses) return from_dashed(text.substr(1, 36));
  return text.size() == 32 ? from_digits(text) : from_dashed(text);
}

std::string Guid::hex_upper() const { return hex(*this, "0123456789ABCDEF"); }
std::string Guid::hex_lower() const { return hex(*this, "0123456789abcdef"); }

std::string Guid::dashed() const {
  const std::string all = hex_lower();
  const std::string_view text = all;
  return fmt::format("{}-{}-{}-{}-{}", text.substr(0, 8), text.substr(8, 4), text.substr(12, 4), text.substr(16, 4),
                     text.substr(20));
}

std::optional<DebugId> DebugId::parse(std::string_view text) {
  constexpr std::size_t kGuidDigits = 32, kAgeDigits = 8;
  std::string digits(text);
  std::erase(digits, '-');
  if (digits.size() < kGuidDigits || digits.size() > kGuidDigits + kAgeDigits) return std::nullopt;
  const auto guid = Guid::parse(std::string_view(digits).substr(0, kGuidDigits));
  if (!guid) return std::nullopt;
  DebugId id{*guid, 0};
  for (const char c : std::string_view(digits).substr(kGuidDigits)) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    id.age = id.age << 4 | *digit;
  }
  return id;
}

std::string DebugId::breakpad() const { return fmt::format("{}{:x}", guid.hex_upper(), age); }

std::string DebugId::dashed() const { return age == 0 ? guid.dashed() : fmt::format("{}-{:x}", guid.dashed(), age); }

std::string pe_code_id(std::uint32_t timestamp, std::uint32_t image_size) {
  return fmt::format("{:08X}{:x}", timestamp, image_size);
}

}  // namespace symcached
