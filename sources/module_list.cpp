#include "sources/module_list.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "sources/module_collector.hpp"
#include "sources/module_line.hpp"

namespace symcached::sources {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF", kUtf16Mark = "\xFF\xFE";

/// @param text  little-endian, without its mark. What is no character becomes U+FFFD.
std::string utf8_of_utf16(std::string_view text) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at]) | static_cast<unsigned char>(text[at + 1]) << 8);
  };
  for (std::size_t at = 0; at + 2 <= text.size(); at += 2) {
    const char32_t first = unit(at);
    const bool is_high = first >= 0xD800 && first < 0xDC00;
    const char32_t second = is_high && at + 4 <= text.size() ? unit(at + 2) : 0;
    if (second >= 0xDC00 && second < 0xE000) {
      append_utf8(out, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
      at += 2;
    } else {
      append_utf8(out, first >= 0xD800 && first < 0xE000 ? 0xFFFD : first);
    }
  }
  return out;
}

/// A line of text may begin with a bracket, too: "[vdso] 4ad5...".
bool is_json(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos || text[first] == '{') return first != text.npos;
  const std::size_t second = text.find_first_not_of(kBlanks, first + 1);
  return text[first] == '[' && second != text.npos && (text[second] == '{' || text[second] == ']');
}

void collect_lines(std::string_view text, ModuleCollector& out) {
  while (!text.empty() && !out.is_full()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ModuleLine parsed = parse_module_line(line);
    if (parsed.kind == LineKind::module) out.module(std::move(parsed.module));
    if (parsed.kind == LineKind::unknown) out.unknown(line);
  }
}

}  // namespace

std::expected<ModuleList, std::string> parse_module_list(std::string_view text) {
  if (text.size() > kMaxModuleList)
    return std::unexpected(
        fmt::format("a list of {} MiB; at most {} MiB are read", text.size() >> 20, kMaxModuleList >> 20));
  std::string converted;
  if (text.starts_with(kUtf16Mark)) text = converted = utf8_of_utf16(text.substr(kUtf16Mark.size()));
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  ModuleCollector out;
  if (is_json(text)) {
    if (auto collected = collect_json(text, out); !collected) return std::unexpected(std::move(collected.error()));
  } else {
    collect_lines(text, out);
  }
  if (out.is_full())
    return std::unexpected(fmt::format("{} modules or more, which is too many for one list", kMaxModules));
  return std::move(out).finish();
}

}  // namespace symcached::sources
