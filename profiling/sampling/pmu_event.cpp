#include "profiling/sampling/pmu_event.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/ascii.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint32_t kHw = PERF_TYPE_HARDWARE, kSw = PERF_TYPE_SOFTWARE;
constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kMaxText = 200;

// The least periods keep a CPU below some 20,000 samples a second.
constexpr GenericEvent kGeneric[] = {
    {"cpu-clock", "", kSw, PERF_COUNT_SW_CPU_CLOCK, kMillion, 50'000},
    {"task-clock", "", kSw, PERF_COUNT_SW_TASK_CLOCK, kMillion, 50'000},
    {"page-faults", "faults", kSw, PERF_COUNT_SW_PAGE_FAULTS, 1, 1},
    {"minor-faults", "", kSw, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, 1},
    {"major-faults", "", kSw, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1, 1},
    {"alignment-faults", "", kSw, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1, 1},
    {"emulation-faults", "", kSw, PERF_COUNT_SW_EMULATION_FAULTS, 1, 1},
    {"context-switches", "cs", kSw, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 1, true},
    {"cpu-migrations", "migrations", kSw, PERF_COUNT_SW_CPU_MIGRATIONS, 1, 1, true},
    {"cycles", "cpu-cycles", kHw, PERF_COUNT_HW_CPU_CYCLES, kMillion, 200'000},
    {"instructions", "", kHw, PERF_COUNT_HW_INSTRUCTIONS, kMillion, 200'000},
    {"ref-cycles", "", kHw, PERF_COUNT_HW_REF_CPU_CYCLES, kMillion, 200'000},
    {"bus-cycles", "", kHw, PERF_COUNT_HW_BUS_CYCLES, 100'000, 10'000},
    {"branches", "branch-instructions", kHw, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, kMillion, 50'000},
    {"branch-misses", "", kHw, PERF_COUNT_HW_BRANCH_MISSES, 10'000, 1'000},
    {"cache-references", "", kHw, PERF_COUNT_HW_CACHE_REFERENCES, 100'000, 5'000},
    {"cache-misses", "", kHw, PERF_COUNT_HW_CACHE_MISSES, 10'000, 1'000},
    {"stalled-cycles-frontend", "idle-cycles-frontend", kHw, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, kMillion, 100'000},
    {"stalled-cycles-backend", "idle-cycles-backend", kHw, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, kMillion, 100'000},
};
constexpr std::uint64_t kUsualOfOthers = kMillion, kLeastOfOthers = 10'000;

std::unexpected<Refusal> wrong(std::string reason) {
  return std::unexpected(Refusal{400, std::move(reason) + "; for example event=cpu-clock:u or event=cycles"});
}

bool is_clean(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const char lower = lower_ascii(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
  });
}

/// A mask in digits, decimal or with 0x.
std::optional<std::uint64_t> number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string in_hex(std::uint64_t value) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, std::end(digits), value, 16).ptr);
}

struct Words {
  std::string name;
  std::vector<std::string> masks;
  bool user = false, kernel = false;
};

Words split(std::string_view text) {
  Words words;
  words.name = text.substr(0, text.find(':'));
  while (text.find(':') != std::string_view::npos) {
    text.remove_prefix(text.find(':') + 1);
    const std::string_view word = text.substr(0, text.find(':'));
    if (word == "u") words.user = true;
    else if (word == "k") words.kernel = true;
    else if (const auto mask = number(word); !mask) words.masks.emplace_back(word);
    else if (*mask != 0) words.masks.push_back(in_hex(*mask));
  }
  return words;
}

std::optional<PmuEvent> by_code(std::string_view name) {
  PmuEvent event{.name = std::string(name), .type = PERF_TYPE_RAW};
  const auto code = name.starts_with('r') ? number("0x" + std::string(name.substr(1))) : std::nullopt;
  if (!code) return std::nullopt;
  event.config = *code;
  event.usual_period = kUsualOfOthers;
  event.least_period = kLeastOfOthers;
  return event;
}

std::optional<PmuEvent> by_name(std::string_view name) {
  const std::string lower = lower_ascii(name);
  for (const GenericEvent& row : kGeneric)
    if (lower == row.name || (!row.other_name.empty() && lower == row.other_name)) return to_event(row);
  return by_code(lower);
}

}  // namespace

std::span<const GenericEvent> generic_events() { return kGeneric; }

PmuEvent to_event(const GenericEvent& generic) {
  PmuEvent event{.name = std::string(generic.name), .type = generic.type, .config = generic.config};
  event.kernel = generic.of_kernel;
  event.usual_period = generic.usual_period;
  event.least_period = generic.least_period;
  return event;
}

Answer<PmuEvent> find_event(std::string_view text) {
  if (text.empty()) return wrong("event= is missing");
  if (text.size() > kMaxText || !is_clean(text))
    return wrong("the event is no name with unit masks and :u or :k; the period has a parameter of its own");
  const Words words = split(text);
  Answer<PmuEvent> event;
  if (const auto known = by_name(words.name)) {
    if (!words.masks.empty()) return wrong("the event " + known->name + " takes no unit mask");
    event = *known;
  } else {
    std::string full = words.name;
    for (const std::string& mask : words.masks) full += ":" + mask;
    event = ask_libpfm(full);
    if (!event) return wrong(event.error().reason);
    event->usual_period = kUsualOfOthers;
    event->least_period = kLeastOfOthers;
  }
  if (words.kernel) event->kernel = true;
  if (words.kernel && !words.user) event->user = false;
  event->name += event->user ? ":u" : "";
  event->name += event->kernel ? ":k" : "";
  return event;
}

}  // namespace symcached::pprof
