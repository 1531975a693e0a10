#include "object/text/translate_perf_map.hpp"

#include <algorithm>
#include <optional>

#include "formats/breakpad/fields.hpp"
#include "object/text/lines.hpp"
#include "object/text/live_code.hpp"
#include "object/text/translate_symbol_list.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kLookedAt = 4096;                      ///< bytes that must be lines of a perf map
constexpr std::uint64_t kFirstAddress = 0x1000;              ///< no process has code in page 0
constexpr std::size_t kMaxFunctions = std::size_t{1} << 23;  ///< alive at one time

struct PerfEntry {
  std::uint64_t start = 0, end = 0;
  std::string_view name;
};

std::optional<PerfEntry> read_line(std::string_view line) {
  breakpad::Fields fields(breakpad::without_blanks_behind(line));
  const auto number = [&] {
    if (fields.rest().starts_with("0x")) fields = breakpad::Fields(fields.rest().substr(2));
    return fields.hex();
  };
  const auto start = number();
  const auto size = start ? number() : std::nullopt;
  if (!size || fields.rest().empty() || *start < kFirstAddress || *size > ~*start) return std::nullopt;
  return PerfEntry{*start, *start + *size, fields.rest()};
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

bool is_perf_map(Bytes file) {
  const bool whole = file.size() <= kLookedAt;
  const std::string_view text = as_text(file.first(std::min(file.size(), kLookedAt)));
  const std::size_t last_feed = text.rfind('\n');
  TextLines lines(whole ? text : text.substr(0, last_feed == text.npos ? 0 : last_feed));
  std::size_t count = 0;
  for (; !lines.at_end(); ++count) {
    const std::string_view line = lines.next();
    const auto entry = read_line(line);
    const bool may_be_cut = whole && lines.at_end() && count != 0;
    if (!may_be_cut && (!entry || has_control_characters(entry->name))) return false;
  }
  return count != 0 && !is_symbol_list(file);
}

Read<void> translate_perf_map(const Original& original, model::ModuleSink& sink) {
  sink.module({.producer_kind = "perf_map"});
  LiveCode<PerfEntry> code;
  for (TextLines lines(as_text(original.file)); !lines.at_end();) {
    const auto entry = read_line(lines.next());
    if (!entry || entry->start == entry->end) continue;
    code.add(*entry);
    if (code.all().size() > kMaxFunctions) return too_large("perf_map.functions", 0, code.all().size(), kMaxFunctions);
  }
  for (const auto& [start, entry] : code.all())
    sink.function({.start = {start},
                   .size = static_cast<std::uint32_t>(std::min<std::uint64_t>(entry.end - start, 0xFFFFFFFF)),
                   .name = sink.intern(entry.name)});
  return {};
}

}  // namespace symcached::object
