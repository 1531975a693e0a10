#pragma once
/// Characters and line ends of source files, in the encodings that compilers of .NET read. Private to `symbolize/`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::symbolize {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Character {
  char32_t code = kReplacement;
  std::size_t size = 1;  ///< bytes it has in the file
};
/// Where a line's text ends, and where the next line starts.
struct LineEnd {
  std::size_t end, next;
};
constexpr std::uint8_t byte_at(Bytes text, std::size_t at) { return std::to_integer<std::uint8_t>(text[at]); }

/// What the compilers of .NET end lines with. C2 and E2 begin U+0085, and U+2028 and U+2029.
inline constexpr auto kMayEndLine = [] {
  std::array<bool, 256> may{};
  for (const std::size_t byte : {0x0Au, 0x0Du, 0xC2u, 0xE2u}) may[byte] = true;
  return may;
}();

struct Utf8 {
  static LineEnd line_end(Bytes text, std::size_t at) {
    for (; at < text.size(); ++at) {
      const std::uint8_t byte = byte_at(text, at);
      if (!kMayEndLine[byte]) continue;
      const std::size_t left = text.size() - at;
      if (byte == '\n') return {at, at + 1};
      if (byte == '\r') return {at, at + (left > 1 && byte_at(text, at + 1) == '\n' ? 2 : 1)};
      if (byte == 0xC2 && left > 1 && byte_at(text, at + 1) == 0x85) return {at, at + 2};
      if (byte == 0xE2 && left > 2 && byte_at(text, at + 1) == 0x80 && (byte_at(text, at + 2) | 1) == 0xA9)
        return {at, at + 3};
    }
    return {at, at};
  }

  /// Of a sequence that breaks off, the part that was sound is one U+FFFD, as Unicode recommends.
  static Character decode(Bytes text) {
    const std::uint8_t first = byte_at(text, 0);
    if (first < 0x80) return {first, 1};
    if (first < 0xC2 || first > 0xF4) return {};
    const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    // The second byte has less room where a shorter sequence would do, for surrogates, and above U+10FFFF.
    std::uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    std::uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    char32_t code = first & (0x7F >> size);
    for (std::size_t i = 1; i < size; ++i) {
      if (i == text.size() || byte_at(text, i) < least || byte_at(text, i) > most) return {kReplacement, i};
      code = code << 6 | (byte_at(text, i) & 0x3F);
      least = 0x80, most = 0xBF;
    }
    return {code, size};
  }
};

/// @tparam kLow  which byte of a unit is the low one
template <std::size_t kLow>
struct Utf16 {
  static char32_t unit(Bytes text, std::size_t at) {
    return static_cast<char32_t>(byte_at(text, at + kLow) | byte_at(text, at + 1 - kLow) << 8);
  }

  static LineEnd line_end(Bytes text, std::size_t at) {
    for (; text.size() - at >= 2; at += 2) {
      const char32_t code = unit(text, at);
      if (code == '\r') return {at, at + (text.size() - at >= 4 && unit(text, at + 2) == '\n' ? 4u : 2u)};
      if (code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029) return {at, at + 2};
    }
    return {text.size(), text.size()};
  }

  static Character decode(Bytes text) {
    if (text.size() < 2) return {kReplacement, text.size()};
    const char32_t first = unit(text, 0);
    if (first < 0xD800 || first > 0xDFFF) return {first, 2};
    const char32_t second = first < 0xDC00 && text.size() >= 4 ? unit(text, 2) : 0;
    if (second < 0xDC00 || second > 0xDFFF) return {kReplacement, 2};
    return {0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)), 4};
  }
};

/// Calls `use` with the text behind its byte order mark, and its encoding. UTF-8, unless a mark says UTF-16.
auto with_encoding(Bytes source, auto&& use) {
  const std::string_view text = as_text(source);
  if (text.starts_with("\xFF\xFE")) return use(source.subspan(2), Utf16<0>());
  if (text.starts_with("\xFE\xFF")) return use(source.subspan(2), Utf16<1>());
  return use(source.subspan(text.starts_with("\xEF\xBB\xBF") ? 3 : 0), Utf8());
}

}  // namespace symcached::symbolize
