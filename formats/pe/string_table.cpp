#include "formats/pe/string_table.hpp"

#include <algorithm>
#include <charconv>

namespace symcached::pe {
namespace {

constexpr std::uint32_t kSizeField = 4;

std::optional<std::uint64_t> base64_number(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint64_t value = 0;  // at most six digits of six bits
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 6 | digit;
  }
  return value;
}

/// Offset into the string table of a long name: "/" and decimal digits, or "//" and base 64.
std::optional<std::uint64_t> long_name_offset(std::string_view name) {
  if (name.size() < 2 || name.front() != '/') return std::nullopt;
  if (name.starts_with("//")) return base64_number(name.substr(2));
  std::uint64_t value = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + 1, end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view up_to_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

StringTable::StringTable(Bytes file, std::uint64_t offset) {
  const auto size = read_at<u32le>(file, offset, "pe.string_table.size");
  if (!size || *size < kSizeField) return;
  if (const auto table = slice(file, offset, *size, "pe.string_table")) bytes_ = *table;
}

std::optional<std::string_view> StringTable::text_at(std::uint64_t offset, std::size_t longest) const {
  if (offset < kSizeField || offset >= bytes_.size()) return std::nullopt;
  const std::string_view rest = as_text(bytes_.subspan(static_cast<std::size_t>(offset))).substr(0, longest + 1);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

std::string_view StringTable::start_of_text_at(std::uint64_t offset, std::size_t longest) const {
  if (offset < kSizeField || offset >= bytes_.size()) return {};
  return up_to_nul(as_text(bytes_.subspan(static_cast<std::size_t>(offset))).substr(0, longest));
}

std::string_view StringTable::section_name(const std::array<char, 8>& field) const {
  const std::string_view raw = up_to_nul({field.data(), field.size()});
  const auto offset = long_name_offset(raw);
  return offset ? text_at(*offset, kMaxSectionName).value_or(raw) : raw;
}

}  // namespace symcached::pe
