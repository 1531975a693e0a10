#include "sources/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/utf8.hpp"

namespace symcached::sources {
namespace {

constexpr std::string_view kRefused = "/\\:*?\"<>|";

}  // namespace

std::expected<void, std::string> check_file_name(std::string_view name) {
  const auto refuse = [](std::string_view why) { return std::unexpected(fmt::format("file name {}", why)); };
  if (name.empty()) return refuse("is empty");
  if (name.size() > kMaxFileName) return refuse(fmt::format("is longer than {} bytes", kMaxFileName));
  if (name.front() == '.') return refuse("starts with a dot");
  if (name.back() == '.' || name.back() == ' ') return refuse("ends with a dot or space");
  const auto is_control = [](char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(name, is_control)) return refuse("contains a control character");
  if (const std::size_t at = name.find_first_of(kRefused); at != std::string_view::npos)
    return refuse(fmt::format("contains '{}'", name[at]));
  if (!is_utf8(name)) return refuse("is not UTF-8");
  return {};
}

}  // namespace symcached::sources
