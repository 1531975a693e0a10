#include "base/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace symcached {
namespace {

using std::chrono::milliseconds;

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr SizeUnit kSizeUnits[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1'000},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", std::uint64_t{1} << 10},
    {"MiB", std::uint64_t{1} << 20},
    {"GiB", std::uint64_t{1} << 30},
    {"TiB", std::uint64_t{1} << 40},
};

struct TimeUnit {
  std::string_view name;
  milliseconds length;
};
constexpr TimeUnit kTimeUnits[] = {
    // the largest first
    {"d", std::chrono::days(1)},    {"h", std::chrono::hours(1)}, {"m", std::chrono::minutes(1)},
    {"s", std::chrono::seconds(1)}, {"ms", milliseconds(1)},
};
constexpr milliseconds kLongest = std::chrono::days(36'500);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_while(std::string_view& text, bool (*belongs)(char)) {
  std::size_t n = 0;
  while (n < text.size() && belongs(text[n])) ++n;
  const std::string_view taken = text.substr(0, n);
  text.remove_prefix(n);
  return taken;
}

/// Digits, or digits with a point between them. No sign, no exponent.
std::optional<double> decimal(std::string_view number) {
  if (number.empty() || !is_digit(number.front()) || !is_digit(number.back())) return std::nullopt;
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [at, error] = std::from_chars(number.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> whole(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::unexpected<std::string> refused(std::string_view text, std::string_view why) {
  return std::unexpected(fmt::format("\"{}\" {}", text, why));
}

}  // namespace

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  std::string_view rest = text;
  const std::string_view number = take_while(rest, [](char c) { return is_digit(c) || c == '.'; });
  const auto value = decimal(number);
  if (!value) return refused(text, "is not a size; write 20GB or 20GiB, or a number of bytes");
  if (rest.size() > 1 && rest.starts_with(' ')) rest.remove_prefix(1);
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name != rest) continue;
    if (const auto exact = whole(number); exact && *exact <= UINT64_MAX / unit.bytes) return *exact * unit.bytes;
    const double bytes = *value * static_cast<double>(unit.bytes);
    if (bytes >= std::ldexp(1.0, 63)) return refused(text, "is too large");
    return static_cast<std::uint64_t>(bytes);
  }
  return refused(text, fmt::format("has no unit we know; write {0}GB or {0}GiB", number));
}

std::expected<milliseconds, std::string> parse_duration(std::string_view text) {
  constexpr std::string_view kHelp = "is not a time we can read; write 7d, 1h30m, 90s or 250ms";
  if (text == "0") return milliseconds(0);
  if (text.empty()) return refused(text, kHelp);
  milliseconds sum{0};
  const TimeUnit* next = std::begin(kTimeUnits);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view digits = take_while(rest, is_digit);
    const std::string_view name = take_while(rest, [](char c) { return !is_digit(c); });
    while (next != std::end(kTimeUnits) && next->name != name) ++next;
    if (digits.empty() || next == std::end(kTimeUnits)) return refused(text, kHelp);
    const auto count = whole(digits);
    if (!count || *count > static_cast<std::uint64_t>((kLongest - sum) / next->length))
      return refused(text, "is longer than 100 years");
    sum += static_cast<std::int64_t>(*count) * next->length;
    ++next;
  }
  return sum;
}

std::expected<double, std::string> parse_percent(std::string_view text) {
  const auto value = text.ends_with('%') ? decimal(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!value || *value > 100) return refused(text, "is not a part of a hundred; write 0% to 100%");
  return *value;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::string_view units = "kMGTPE";
  for (; value >= 999.5; value /= 1000) units.remove_prefix(1);
  return value < 9.95 ? fmt::format("{:.1f} {}B", value, units.front())
                      : fmt::format("{:.0f} {}B", value, units.front());
}

}  // namespace symcached
