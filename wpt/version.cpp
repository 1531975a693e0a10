#include "wpt/version.hpp"

#include <fmt/format.h>

#include <limits>

namespace symcached::wpt {

std::optional<std::uint32_t> parse_decimal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

std::optional<Version> Version::parse(std::string_view text) {
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto major_part = parse_decimal(text.substr(0, first));
  const auto minor_part = parse_decimal(text.substr(first + 1, second - first - 1));
  const auto patch_part = parse_decimal(text.substr(second + 1));
  if (!major_part || !minor_part || !patch_part) return std::nullopt;
  return Version{*major_part, *minor_part, *patch_part};
}

std::string Version::to_string() const {
  std::string text = fmt::format_int(major_part).str();
  for (const std::uint32_t part : {minor_part, patch_part}) text.append(".").append(fmt::format_int(part).c_str());
  return text;
}

}  // namespace symcached::wpt
