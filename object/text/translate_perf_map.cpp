#include "object/text/translate_perf_map.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "formats/breakpad/fields.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kLookedAt = 4096;                      ///< bytes that must be lines of a perf map
constexpr std::uint64_t kFirstAddress = 0x1000;              ///< no process has code in page 0
constexpr std::size_t kMaxFunctions = std::size_t{1} << 23;  ///< alive at one time

struct Entry {
  std::uint64_t start = 0, end = 0;
  std::string_view name;
};

/// A cursor over the lines of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  std::string_view next() {
    const std::size_t feed = rest_.find('\n');
    const std::string_view line = rest_.substr(0, feed);
    rest_.remove_prefix(feed == std::string_view::npos ? rest_.size() : feed + 1);
    return line;
  }

 private:
  std::string_view rest_;
};

std::optional<Entry> read_line(std::string_view line) {
  breakpad::Fields fields(breakpad::without_blanks_behind(line));
  const auto number = [&] {
    if (fields.rest().starts_with("0x")) fields = breakpad::Fields(fields.rest().substr(2));
    return fields.hex();
  };
  const auto start = number();
  const auto size = start ? number() : std::nullopt;
  if (!size || fields.rest().empty() || *start < kFirstAddress || *size > ~*start) return std::nullopt;
  return Entry{*start, *start + *size, fields.rest()};
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// The functions that are there at the end, by start; no two overlap.
class LiveCode {
 public:
  void add(const Entry& entry) {
    auto at = live_.upper_bound(entry.start);
    if (at != live_.begin() && std::prev(at)->second.end > entry.start) --at;
    while (at != live_.end() && at->second.start < entry.end) at = live_.erase(at);
    live_.insert_or_assign(at, entry.start, entry);
  }
  const std::map<std::uint64_t, Entry>& all() const { return live_; }

 private:
  std::map<std::uint64_t, Entry> live_;
};

}  // namespace

bool is_perf_map(Bytes file) {
  const bool whole = file.size() <= kLookedAt;
  const std::string_view text = as_text(file.first(std::min(file.size(), kLookedAt)));
  const std::size_t last_feed = text.rfind('\n');
  Lines lines(whole ? text : text.substr(0, last_feed == text.npos ? 0 : last_feed));
  std::size_t count = 0;
  for (; !lines.at_end(); ++count) {
    const std::string_view line = lines.next();
    const auto entry = read_line(line);
    const bool may_be_cut = whole && lines.at_end() && count != 0;
    if (!may_be_cut && (!entry || has_control_characters(entry->name))) return false;
  }
  return count != 0;
}

Read<void> translate_perf_map(const Original& original, model::ModuleSink& sink) {
  sink.module({.producer_kind = "perf_map"});
  LiveCode code;
  for (Lines lines(as_text(original.file)); !lines.at_end();) {
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
