#pragma once
/// What the programs that bench/run.py runs have in common: their arguments, and files of questions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::bench {

[[noreturn]] inline void die(std::string_view program, std::string_view why) {
  fmt::print(stderr, "{}: {}\n", program, why);
  std::exit(1);
}

/// The whole text as a number, without sign or prefix.
template <class Number>
std::optional<Number> parse(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes the first line of `text`, without its end.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace symcached::bench
