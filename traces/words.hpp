#pragma once
/// Words and shapes that several dialects share.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/dialect.hpp"
#include "traces/scan.hpp"

namespace symcached::traces {

/// What tools write for a function that they do not know.
constexpr bool is_unknown(std::string_view name) {
  constexpr std::array<std::string_view, 11> kWords{
      "", "?", "??", "???", "n/a", "<unknown>", "(unknown)", "[unknown]", "<null>", "-", "(not found)"};
  return std::ranges::find(kWords, name) != kWords.end() || name.starts_with("___lldb_unnamed_symbol");
}

/// The name if it is one.
constexpr std::string_view known(std::string_view name) { return is_unknown(name) ? std::string_view() : name; }

/// "#12" and the blanks behind it.
inline std::optional<std::uint64_t> take_index(Scan& in) {
  in.blanks();
  const std::size_t start = in.position();
  if (in.take('#'))
    if (const auto index = in.decimal(); index && in.blanks() != 0) return index;
  in.go_to(start);
  return std::nullopt;
}

/// "main+0x12", "main + 12". The last plus sign counts: names of operators have some, too.
struct NameOffset {
  std::string_view name;
  std::uint64_t offset = 0;
};
inline std::optional<NameOffset> parse_name_offset(std::string_view text, std::string_view plus = "+") {
  const std::size_t at = text.rfind(plus);
  if (at == text.npos || at == 0) return std::nullopt;
  Scan offset(text.substr(at + plus.size()));
  const auto value = offset.any_number();
  if (!value || !offset.at_end()) return std::nullopt;
  return NameOffset{text.substr(0, at), *value};
}

/// The function goes where `hole` is.
inline void put_function(Frame& frame, std::string_view hole, std::string_view lead = {}, std::string_view tail = {}) {
  frame.hole = hole;
  frame.lead = lead;
  frame.tail = tail;
}

/// The function is there and stays, or replaces the word for an unknown one.
inline void name_or_hole(Frame& frame, std::string_view name) {
  frame.function = known(name);
  if (frame.function.empty()) put_function(frame, name);
}

/// A place in a file at the end of a text: ":12", ":12:3".
constexpr bool ends_with_line(std::string_view text) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  return digits != 0 && digits != text.size() && text[digits - 1] == ':' && digits > 1;
}

}  // namespace symcached::traces
