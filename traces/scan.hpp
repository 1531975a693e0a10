#pragma once
/// A cursor over one line of text. What does not match leaves it where it is.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"

namespace symcached::traces {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_decimal(char c) { return c >= '0' && c <= '9'; }
/// Of a word that a number may be part of.
constexpr bool is_word(char c) { return hex_digit(c) || (lower_ascii(c) >= 'g' && lower_ascii(c) <= 'z') || c == '_'; }

/// Without blanks, tabs and carriage returns at the end.
constexpr std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}
constexpr std::string_view trim(std::string_view text) {
  text = trim_end(text);
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

class Scan {
 public:
  explicit constexpr Scan(std::string_view text) : text_(text) {}

  constexpr bool at_end() const { return at_ == text_.size(); }
  constexpr std::size_t position() const { return at_; }
  constexpr std::string_view text() const { return text_; }
  constexpr std::string_view rest() const { return text_.substr(at_); }
  constexpr std::string_view since(std::size_t start) const { return text_.substr(start, at_ - start); }
  constexpr char peek() const { return at_end() ? '\0' : text_[at_]; }
  constexpr void go_to(std::size_t position) { at_ = std::min(position, text_.size()); }

  constexpr bool take(std::string_view literal) {
    if (!rest().starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }
  constexpr bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// @return how many there were
  constexpr std::size_t blanks() {
    const std::size_t start = at_;
    while (!at_end() && is_blank(text_[at_])) ++at_;
    return at_ - start;
  }
  /// Up to the next blank; empty at one, or at the end.
  constexpr std::string_view word() {
    const std::size_t start = at_;
    while (!at_end() && !is_blank(text_[at_])) ++at_;
    return since(start);
  }
  /// Up to `stop`, which is passed over. Nothing if it does not follow.
  constexpr std::optional<std::string_view> until(std::string_view stop) {
    const std::size_t end = text_.find(stop, at_);
    if (end == text_.npos) return std::nullopt;
    const std::string_view before = text_.substr(at_, end - at_);
    at_ = end + stop.size();
    return before;
  }

  // Numbers: whole ones of at most 64 bits, which no letter or digit follows.
  std::optional<std::uint64_t> decimal() { return number(10); }
  std::optional<std::uint64_t> bare_hex() { return number(16); }
  std::optional<std::uint64_t> hex() {  ///< behind 0x
    const std::size_t start = at_;
    if (take("0x") || take("0X"))
      if (const auto value = number(16)) return value;
    at_ = start;
    return std::nullopt;
  }
  std::optional<std::uint64_t> any_hex() { return rest().starts_with("0x") ? hex() : bare_hex(); }
  /// Hexadecimal behind 0x, else decimal.
  std::optional<std::uint64_t> any_number() { return rest().starts_with("0x") ? hex() : decimal(); }

 private:
  std::optional<std::uint64_t> number(int base) {
    std::uint64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [next, error] = std::from_chars(text_.data() + at_, end, value, base);
    if (error != std::errc() || (next != end && is_word(*next))) return std::nullopt;
    at_ = static_cast<std::size_t>(next - text_.data());
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// "path+0x12": a path may hold anything, so the last "+0x" counts.
struct PathOffset {
  std::string_view path;
  std::uint64_t offset = 0;
};
inline std::optional<PathOffset> parse_path_offset(std::string_view text, std::string_view plus = "+") {
  const std::size_t at = text.rfind(plus);
  if (at == text.npos || at == 0) return std::nullopt;
  Scan offset(text.substr(at + plus.size()));
  const auto value = offset.hex();
  if (!value || !offset.at_end()) return std::nullopt;
  return PathOffset{text.substr(0, at), *value};
}

}  // namespace symcached::traces
