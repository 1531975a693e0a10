#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "traces/csv.hpp"
#include "traces/markup.hpp"
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

/// "Found module /opt/a/srv with build-id: 4f2c...", "Module srv with build-id 4f2c..."
bool read_coredump_module(std::string_view text, TraceState& state, Frames&) {
  constexpr std::string_view kWith = " with build-id";
  const std::size_t with = text.find(kWith);
  const std::size_t module = text.find("odule ");
  if (with == text.npos || module == text.npos || module + 6 > with) return false;
  std::string_view id = text.substr(with + kWith.size());
  if (id.starts_with(':')) id.remove_prefix(1);
  state.learn_ids(trim(text.substr(module + 6, with - module - 6)), {std::string(trim(id)), {}});
  return true;
}

/// "    [4f2c...]@0x55fa1a2b1000+0x13c7", below the frame that eu-stack means
bool read_eu_stack_place(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  if (in.blanks() == 0 || !in.take('[') || out.empty()) return false;
  const auto id = in.until("]@");
  const auto place = parse_path_offset(in.rest());
  if (!id || !place || out.back().dialect == nullptr || out.back().dialect->name != "eu-stack") return false;
  Frame& frame = out.back();
  frame.build_id = *id;
  frame.kind = NumberKind::image;
  frame.address = frame.address.value_or(frame.value);
  frame.value = place->offset;
  frame.adjust = Adjust::done;
  return true;
}

/// "Module|libcb.so|1.0|libcb.so|4F2C...0|0x7f21c0a40000|0x7f21c0a4ffff|0"
bool read_minidump_module(std::string_view text, TraceState& state, Frames&) {
  if (!text.starts_with("Module|")) return false;
  std::array<std::string_view, 7> fields;
  Scan in(text);
  for (std::string_view& field : fields) {
    const auto next = in.until("|");
    if (!next) return false;
    field = *next;
  }
  state.learn_ids(fields[1], {{}, std::string(fields[4])});
  const auto base = Scan(fields[5]).hex();
  if (base) state.map.add_base(*base, fields[1], {});
  return true;
}

/// "0x7f21c0a40000 - 0x7f21c0a4ffff  libcb.so  ???  (main)  (WARNING: No symbols, libcb.so, 4F2C...0)"
bool read_missing_symbols(std::string_view text, TraceState& state, Frames&) {
  Scan in(text);
  if (!in.until("(WARNING: No symbols, ")) return false;
  const auto name = in.until(", ");
  const auto id = name ? in.until(")") : std::nullopt;
  if (!id) return false;
  state.learn_ids(*name, {{}, std::string(*id)});
  return true;
}

/// "CPU: 0 PID: 1 Comm: swapper Tainted: G 6.1.0 #1 4f2c...", "Kernel Offset: 0x1c000000 from 0xffffffff81000000"
bool read_kernel(std::string_view text, TraceState& state, Frames&) {
  constexpr std::size_t kIdDigits = 40;
  if (const std::size_t pid = text.find("PID: "); pid != text.npos && text.find(" Comm: ", pid) != text.npos) {
    const std::string_view last = text.substr(text.rfind(' ') + 1);
    const bool is_id = last.size() == kIdDigits && is_hex(last);
    if (is_id) state.learn_ids("vmlinux", {std::string(last), {}});
    state.start_thread(trim(text.substr(pid + 5, text.find(' ', pid + 5) - pid - 5)));
    return true;
  }
  Scan in(text);
  if (!in.until("Kernel Offset: ")) return false;
  if (in.take("disabled")) state.kernel_shift = 0;
  else if (const auto shift = in.hex()) state.kernel_shift = shift;
  return true;
}

bool read_event_log(std::string_view text, TraceState& state, Frames&) {
  Scan in(text);
  in.blanks();
  if (!in.take("Faulting module name: ")) return false;
  state.faulting_module = state.keep(in.rest().substr(0, in.rest().find(',')));
  return true;
}

/// Column names of xperf's `Stack` rows, and rows of images.
bool read_xperf(std::string_view text, TraceState& state, Frames&) {
  constexpr std::uint64_t kLowest = 0x10000;
  Scan in(text);
  in.blanks();
  if (in.take("Stack,")) {
    const auto fields = csv_fields(text);
    if (std::ranges::none_of(fields, [](std::string_view f) { return lower_ascii(f) == "address"; })) return false;
    state.columns.clear();
    for (const std::string_view field : fields) state.columns.push_back(lower_ascii(field));
    return true;
  }
  if (!in.take("I-Start,") && !in.take("I-DCStart,")) return false;
  const auto fields = csv_fields(text);
  std::array<std::uint64_t, 2> range{};
  std::size_t found = 0;
  for (const std::string_view field : fields)
    if (const auto value = Scan(field).hex(); value && *value >= kLowest && found < 2) range[found++] = *value;
  if (found == 2) state.map.add({range[0], range[1], Mapped::image, 0, std::string(fields.back()), {}});
  return found == 2;
}

/// "@[" and "]: 12"
bool read_bpftrace(std::string_view text, TraceState& state, Frames&) {
  if (text.starts_with('@') && text.ends_with('[')) state.in_counted_stack = true;
  else if (text.starts_with("]: ")) state.in_counted_stack = false;
  else return false;
  state.start_stack();
  return true;
}

/// What tools write above the stack of a thread: its name or number.
bool read_thread(std::string_view text, TraceState& state, Frames&) {
  constexpr std::array<std::string_view, 9> kHeads{"Stack trace of thread ",
                                                   "* thread #",
                                                   "  thread #",
                                                   "thread #",
                                                   "Thread ",
                                                   "TID ",
                                                   "goroutine ",
                                                   "==> thread ",
                                                   "--- Thread "};
  for (const std::string_view head : kHeads) {
    if (!text.starts_with(head)) continue;
    const std::string_view rest = text.substr(head.size());
    state.start_thread(rest.substr(0, rest.find_first_of(" :,([")));
    return true;
  }
  if (const std::size_t tid = text.find(", tid: "); tid != text.npos && text.find("pid: ") < tid) {
    const std::string_view rest = text.substr(tid + 7);
    state.start_thread(rest.substr(0, rest.find(',')));
    return true;
  }
  return false;
}

bool read_stack_marks(std::string_view text, TraceState& state, Frames&) {
  if (text.find("<signal handler called>") != text.npos) {
    state.expect_interrupted();
    return true;
  }
  const bool starts = text.empty() || text.ends_with(':') || text.find("Call Trace:") != text.npos;
  if (starts) state.start_stack();
  return starts;
}

bool read_map(std::string_view text, TraceState& state, Frames&) { return read_map_row(text, state); }
bool read_elements(std::string_view text, TraceState& state, Frames&) {
  return text.find("{{{") != text.npos && read_markup(text, state);
}

constexpr bool (*kRules[])(std::string_view, TraceState&, Frames&) = {
    read_map,    read_elements,  read_coredump_module, read_eu_stack_place, read_minidump_module, read_missing_symbols,
    read_kernel, read_event_log, read_xperf,           read_bpftrace,       read_thread,          read_stack_marks,
};

}  // namespace

bool read_context(std::string_view text, TraceState& state, Frames& out) {
  return std::ranges::any_of(kRules, [&](auto rule) { return rule(text, state, out); });
}

}  // namespace symcached::traces
