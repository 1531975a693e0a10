/// Profilers of Linux: perf, bpftrace, folded stacks.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::uint64_t kFirstKernelAddress = 0xFFFF800000000000;
constexpr std::uint64_t kFewest = 0x1000;  ///< below this nothing is code

/// "[kernel.kallsyms]" and modules in brackets: names are all that counts there.
bool is_kernel(std::string_view module) {
  return module.starts_with("[kernel") || module.starts_with("[guest.kernel") || module.ends_with("/vmlinux");
}

/// "73e [unknown] (/opt/a/srv)": the number, the name with or without an offset, the file.
bool take_sample(Scan& in, TraceState& state, Frame& frame) {
  const std::size_t start = in.position();
  const auto number = in.bare_hex();
  if (!number || in.position() == start || !in.take(' ') || !in.text().ends_with(')')) return false;
  const std::string_view rest = in.rest();
  const std::size_t open = rest.rfind(" (");
  if (open == rest.npos || open == 0) return false;
  frame.module = rest.substr(open + 2, rest.size() - open - 3);
  const std::string_view name = rest.substr(0, open);
  frame.is_resolved = frame.module == "inlined";
  if (frame.is_resolved) frame.adjust = Adjust::exact;  // the function that follows is the first of the stack
  frame.value = *number;
  const auto parts = parse_name_offset(name);
  name_or_hole(frame, parts ? parts->name : name);
  if (frame.module == "[unknown]") frame.module = {};
  const bool kernel = is_kernel(frame.module) || frame.module.starts_with('[');
  if (kernel && parts) {
    frame.kind = NumberKind::named;
    frame.address = number;
    frame.value = parts->offset;
  } else if (kernel && *number >= kFirstKernelAddress && state.kernel_shift) {
    frame.kind = NumberKind::link;
    frame.value = *number - *state.kernel_shift;
  } else if (!kernel) {
    frame.kind = frame.module.empty() ? NumberKind::runtime : NumberKind::file;
    frame.may_be_address = true;
  }
  if (is_kernel(frame.module)) frame.module = "vmlinux";
  else if (kernel && frame.module.ends_with(']')) frame.module = frame.module.substr(1, frame.module.size() - 2);
  return true;
}

/// <tab>     73e [unknown] (/opt/a/srv)
bool match_perf_chain(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  if (in.blanks() == 0) return false;
  Frame frame{};
  if (!take_sample(in, state, frame)) return false;
  out.push_back(frame);
  return true;
}

/// srv  6045 [001] 50078.068505:     250000 cpu-clock:pppH:      73e [unknown] (/opt/a/srv)
bool match_perf_event(std::string_view text, TraceState& state, Frames& out) {
  if (!text.ends_with(')')) return false;
  const std::size_t open = text.rfind(" (");
  const std::size_t colon = open == text.npos ? open : text.rfind(": ", open);
  if (colon == text.npos) return false;
  Scan in(text);
  in.go_to(colon + 1);
  in.blanks();
  Frame frame{.adjust = Adjust::exact};
  if (!take_sample(in, state, frame)) return false;
  out.push_back(frame);
  return true;
}

/// Between "@[" and "]: 12": an address, or "main+18", whose offset is decimal.
bool match_bpftrace(std::string_view text, TraceState& state, Frames& out) {
  if (!state.in_counted_stack) return false;
  Scan in(text);
  if (in.blanks() == 0) return false;
  Frame frame{};
  if (const auto address = in.hex()) {
    frame.value = *address;
    if (!in.at_end()) return false;
    put_function(frame, text.substr(in.position()), " ");
  } else if (const auto parts = parse_name_offset(in.rest()); parts && parts->name.find(' ') == text.npos) {
    frame.kind = NumberKind::named;
    frame.function = parts->name;
    frame.value = parts->offset;
    frame.module = "vmlinux";
  } else {
    return false;
  }
  out.push_back(frame);
  return true;
}

/// An element of a folded stack that names a place: "0x55bac0330134" or "libcb.so+0x111b".
std::optional<Frame> folded_frame(std::string_view element) {
  Frame frame{.adjust = Adjust::raw};
  put_function(frame, element);
  Scan in(element);
  if (const auto address = in.hex(); address && in.at_end() && *address >= kFewest) {
    frame.value = *address;
    return frame;
  }
  const auto place = parse_path_offset(element);
  if (!place || place->path.find(' ') != element.npos) return std::nullopt;
  frame.module = place->path;
  frame.kind = NumberKind::image;
  frame.value = place->offset;
  return frame;
}

/// srv;main;0x55bac0330134;libcb.so+0x111b 123
bool match_folded(std::string_view text, TraceState&, Frames& out) {
  constexpr std::size_t kMost = 1024;  // places in one line
  const std::size_t blank = text.rfind(' ');
  if (blank == text.npos || blank == 0) return false;
  Scan count(text.substr(blank + 1));
  std::string_view stack = text.substr(0, blank);
  if (!count.decimal() || !count.at_end() || stack.find(';') == text.npos) return false;
  Frames found;
  for (std::size_t start = 0; start <= stack.size() && found.size() < kMost;) {
    const std::size_t end = std::min(stack.find(';', start), stack.size());
    auto frame = folded_frame(stack.substr(start, end - start));
    if (frame && end == stack.size()) frame->adjust = Adjust::exact;
    if (frame) found.push_back(*frame);
    start = end + 1;
  }
  out.insert(out.end(), found.begin(), found.end());
  return !found.empty();
}

constexpr Dialect kProfilers[] = {
    {"bpftrace", match_bpftrace},
    {"perf script", match_perf_chain},
    {"perf script event", match_perf_event},
    {"folded", match_folded, Adjusting::all_raw, Rewriting::in_line},
};

}  // namespace

std::span<const Dialect> profiler_dialects() { return kProfilers; }

}  // namespace symcached::traces
