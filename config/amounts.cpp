#include "config/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/quantity.hpp"

namespace symcached::config {
namespace {

using std::chrono::milliseconds;

struct TimeName {
  std::string_view name, unit;
};
constexpr TimeName kTimeNames[] = {
    // humantime's, as parse_duration() has them; weeks are multiplied out
    {"weeks", "w"}, {"week", "w"},    {"w", "w"},       {"days", "d"},   {"day", "d"},
    {"d", "d"},     {"hours", "h"},   {"hour", "h"},    {"hrs", "h"},    {"hr", "h"},
    {"h", "h"},     {"minutes", "m"}, {"minute", "m"},  {"mins", "m"},   {"min", "m"},
    {"m", "m"},     {"secs", "s"},    {"seconds", "s"}, {"second", "s"}, {"sec", "s"},
    {"s", "s"},     {"millis", "ms"}, {"msec", "ms"},   {"ms", "ms"},    {"milliseconds", "ms"},
};

struct Step {
  std::string_view unit;
  milliseconds length;
};
constexpr Step kSteps[] = {
    // the largest first
    {"d", std::chrono::days(1)},    {"h", std::chrono::hours(1)}, {"m", std::chrono::minutes(1)},
    {"s", std::chrono::seconds(1)}, {"ms", milliseconds(1)},
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view unit_of(std::string_view name) {
  const auto found = std::ranges::find(kTimeNames, name, &TimeName::name);
  return found == std::end(kTimeNames) ? name : found->unit;
}

std::string days_of_weeks(std::string_view digits) {
  std::uint32_t weeks = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), weeks);
  return error == std::errc() && end == digits.data() + digits.size() ? fmt::format("{}d", std::uint64_t{weeks} * 7)
                                                                      : fmt::format("{}w", digits);
}

/// "1 hour 30min" as "1h30m"; what is not understood stays as it is.
std::string in_short(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t digits_end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, digits_end);
    text.remove_prefix(digits_end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::size_t name_end = 0;
    while (name_end < text.size() && !is_digit(text[name_end]) && text[name_end] != ' ') ++name_end;
    const std::string_view unit = unit_of(text.substr(0, name_end));
    out += unit == "w" ? days_of_weeks(digits) : std::string(digits).append(unit);
    text.remove_prefix(name_end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return out;
}

std::expected<milliseconds, std::string> read_map(const Node& map) {
  milliseconds sum{0};
  for (const Node& part : map.items) {
    const std::string_view unit = unit_of(part.key);
    const bool is_known = unit != part.key || std::ranges::find(kSteps, unit, &Step::unit) != std::end(kSteps);
    if (!is_known || !part.is_scalar() || !std::ranges::all_of(part.text, is_digit))
      return std::unexpected(
          fmt::format("\"{}\" does not name a part of a time; write days: 7 or hours: 1, or 7d as text", part.key));
    const auto length = parse_duration(in_short(part.text + std::string(unit)));
    if (!length) return std::unexpected(length.error());
    sum += *length;
  }
  return sum;
}

}  // namespace

std::expected<milliseconds, std::string> read_duration(const Node& node) {
  if (node.is_map() && !node.items.empty() && node.items.size() <= std::size(kSteps)) return read_map(node);
  if (!node.is_scalar())
    return std::unexpected(fmt::format("wanted a time such as 7d or 1h30m, found {}", kind_name(node)));
  const bool is_plain = !node.text.empty() && std::ranges::all_of(node.text, is_digit);
  const auto length = parse_duration(is_plain ? node.text + "s" : in_short(node.text));
  if (!length && !is_plain) return parse_duration(node.text);  // for its message, which repeats what was written
  return length;
}

std::string duration_text(milliseconds value) {
  std::string out;
  for (const Step& step : kSteps) {
    if (value < step.length) continue;
    out += fmt::format("{}{}", value / step.length, step.unit);
    value %= step.length;
  }
  return out.empty() ? "0s" : out;
}

std::string exact_size_text(std::uint64_t bytes) {
  struct Unit {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr Unit kUnits[] = {{"TiB", std::uint64_t{1} << 40},
                             {"GiB", std::uint64_t{1} << 30},
                             {"MiB", std::uint64_t{1} << 20},
                             {"KiB", std::uint64_t{1} << 10},
                             {"TB", 1'000'000'000'000},
                             {"GB", 1'000'000'000},
                             {"MB", 1'000'000},
                             {"kB", 1'000}};
  for (const Unit& unit : kUnits)
    if (bytes != 0 && bytes % unit.bytes == 0) return fmt::format("{}{}", bytes / unit.bytes, unit.name);
  return fmt::format("{}", bytes);
}

}  // namespace symcached::config
