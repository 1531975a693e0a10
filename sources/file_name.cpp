#include "sources/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace symcached::sources {
namespace {

constexpr std::string_view kRefused = "/\\:*?\"<>|";

/// Length in bytes of the UTF-8 sequence at the start of `text`; 0 if it is none (overlong, surrogate, too large, cut).
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool outside = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

std::expected<void, std::string> check_file_name(std::string_view name) {
  const auto refuse = [](std::string_view why) { return std::unexpected(fmt::format("file name {}", why)); };
  if (name.empty()) return refuse("is empty");
  if (name.size() > kMaxFileName) return refuse(fmt::format("is longer than {} bytes", kMaxFileName));
  if (name.front() == '.') return refuse("starts with a dot");
  if (name.back() == '.' || name.back() == ' ') return refuse("ends with a dot or a blank");
  const auto is_control = [](char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(name, is_control)) return refuse("contains a control character");
  if (const std::size_t at = name.find_first_of(kRefused); at != std::string_view::npos)
    return refuse(fmt::format("contains '{}'", name[at]));
  if (!is_utf8(name)) return refuse("is not UTF-8");
  return {};
}

}  // namespace symcached::sources
