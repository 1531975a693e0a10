/// Debuggers and libraries of Linux that print stacks of programs.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

/// #2  0x00007f21c0a4111b in ?? () from /opt/a/libcb.so
bool match_gdb(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{.index = take_index(in)};
  const auto address = in.hex();
  if (!frame.index || !address || !in.take(" in ")) return false;
  const std::size_t start = in.position();
  const auto name = in.until(" (");
  const std::size_t close = in.rest().rfind(')');
  if (!name || close == text.npos) return false;
  frame.value = *address;
  const std::string_view behind = in.rest().substr(close + 1);
  if (behind.starts_with(" from ")) frame.module = trim(behind.substr(6));
  else if (behind.starts_with(" at ")) frame.is_resolved = true;
  else if (!behind.empty()) return false;
  name_or_hole(frame, text.substr(start, name->size()));
  out.push_back(frame);
  return true;
}

/// * frame #1: 0x00007f21c0a4111b libcb.so`cb_entry + 11
bool match_lldb(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  if (in.take('*')) in.blanks();
  if (!in.take("frame #")) return false;
  Frame frame{.index = in.decimal()};
  if (!frame.index || !in.take(": ")) return false;
  const auto address = in.hex();
  if (!address || in.blanks() == 0) return false;
  frame.value = *address;
  const std::string_view place = in.rest();
  const std::size_t tick = place.find('`');
  frame.module = place.substr(0, tick);
  if (tick == place.npos) {
    put_function(frame, text.substr(text.size()), "`");
  } else {
    std::string_view name = place.substr(tick + 1);
    const std::size_t at = name.find(" at ");
    frame.is_resolved = at != name.npos && ends_with_line(name);
    name = name.substr(0, at);
    const auto parts = parse_name_offset(name, " + ");
    name_or_hole(frame, parts ? parts->name : name);
    if (frame.function.empty()) put_function(frame, name);
    if (parts && !frame.function.empty()) {
      frame.kind = NumberKind::named;
      frame.address = address;
      frame.value = parts->offset;
    }
  }
  out.push_back(frame);
  return true;
}

/// /opt/a/srv(+0x1198) [0x5623fbf08198]
bool match_backtrace_symbols(std::string_view text, TraceState& state, Frames& out) {
  if (!text.ends_with(']')) return false;
  const std::size_t open = text.rfind('[');
  if (open == text.npos) return false;
  Scan bracket(text.substr(open + 1));
  const auto address = bracket.hex();
  if (!address || bracket.rest() != "]") return false;
  const std::string_view before = trim(text.substr(0, open));
  Frame frame{.kind = NumberKind::link, .value = *address, .address = address};
  if (before.ends_with(')')) {
    const std::size_t paren = before.rfind('(');
    if (paren == before.npos || paren == 0 || is_blank(before[paren - 1])) return false;
    frame.module = before.substr(0, paren);
    const std::string_view inside = before.substr(paren + 1, before.size() - paren - 2);
    if (inside.starts_with("+0x")) {
      const auto offset = Scan(inside.substr(1)).hex();
      if (!offset) return false;
      frame.value = *offset;
      state.map.learn_bias(frame.module, *address - *offset);
    } else if (const auto parts = parse_name_offset(inside)) {
      frame.kind = NumberKind::named;
      frame.function = parts->name;
      frame.value = parts->offset;
    } else if (!inside.empty()) {
      return false;
    }
  } else if (before.starts_with('/') || before.starts_with("./")) {
    frame.module = before;
  } else {
    return false;
  }
  if (frame.kind == NumberKind::link && frame.value == *address) frame.kind = NumberKind::runtime;
  put_function(frame, text.substr(text.size()), " in ");
  out.push_back(frame);
  return true;
}

/// #1  0x00005611f0d6b3c8 n/a (/opt/a/srv + 0x13c8)
bool match_coredumpctl(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{.index = take_index(in)};
  const auto address = in.hex();
  if (!frame.index || !address || in.blanks() == 0 || !text.ends_with(')')) return false;
  const std::string_view rest = in.rest();
  const std::size_t open = rest.rfind(" (");
  if (open == rest.npos || rest.starts_with("in ")) return false;
  const std::string_view inside = rest.substr(open + 2, rest.size() - open - 3);
  if (const auto place = parse_path_offset(inside, " + ")) {
    frame.module = place->path;
    frame.kind = NumberKind::image;
    frame.value = place->offset;
    frame.address = address;
  } else if (inside.starts_with('/') && inside.find("+0x") == inside.npos) {
    frame.module = inside;
    frame.value = *address;
  } else {
    return false;
  }
  name_or_hole(frame, rest.substr(0, open));
  out.push_back(frame);
  return true;
}

/// #1  0x00005611f0d6b3c8 - /opt/a/srv; the line after it, which may say more, is context. Chromium's stacks are like
/// it.
bool match_eu_stack(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{.index = take_index(in)};
  const auto address = in.hex();
  if (!frame.index || !address) return false;
  frame.value = *address;
  const std::size_t behind = in.position();
  if (!in.at_end() && in.blanks() == 0) return false;
  const std::string_view rest = in.rest();
  const std::size_t dash = rest.starts_with("- ") ? 0 : rest.find(" - ");
  const bool has_place = rest.ends_with(')') && (rest.starts_with('(') || rest.find(" (") != rest.npos);
  if (rest.starts_with("in ") || has_place) return false;  // other dialects
  frame.module = dash == rest.npos ? std::string_view() : trim(rest.substr(dash == 0 ? 2 : dash + 3));
  const std::string_view name = trim(rest.substr(0, dash));
  frame.is_resolved = ends_with_line(rest);
  if (name.empty()) put_function(frame, text.substr(behind, 0), " ");
  else name_or_hole(frame, name);
  out.push_back(frame);
  return true;
}

/// @     0x56308f1b7189  (unknown)
bool match_glog(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{};
  if (in.take("PC: ")) frame.adjust = Adjust::exact;
  if (!in.take('@') || in.blanks() == 0) return false;
  const std::size_t digits = in.position();
  const auto address = in.any_hex();
  if (!address || in.position() - digits < 6) return false;
  frame.value = *address;
  in.blanks();
  if (Scan size = in; (size.decimal() || size.take("(unknown)")) && size.blanks() != 0)
    in = size;  // Abseil's frame size
  if (in.at_end()) put_function(frame, in.rest(), " ");
  else name_or_hole(frame, in.rest());
  out.push_back(frame);
  return true;
}

///  1# 0x000055F1024AA454 in ./srv
bool match_boost(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.index = in.decimal(), .adjust = Adjust::raw};
  if (!frame.index || !in.take("# ")) return false;
  const auto address = in.hex();
  if (!address) return false;
  frame.value = *address;
  put_function(frame, text.substr(in.position(), 0), " ");
  if (in.take(" in ")) frame.module = trim(in.rest());
  else if (!in.at_end()) return false;
  out.push_back(frame);
  return true;
}

/// 0x55eaed98b2ad: (main+0x9)
bool match_libunwind(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  const auto address = in.hex();
  if (!address || !in.take(": (") || !text.ends_with(')')) return false;
  const auto parts = parse_name_offset(in.rest().substr(0, in.rest().size() - 1));
  if (!parts) return false;
  out.push_back({.function = parts->name, .kind = NumberKind::named, .value = parts->offset, .address = address});
  return true;
}

/// ==812==    by 0x1093C7: ??? (in /opt/a/srv)
bool match_valgrind(std::string_view text, TraceState&, Frames& out) {
  constexpr std::uint64_t kProgram = 0x108000;  // where Valgrind puts programs that may lie anywhere
  constexpr std::uint64_t kLibraries = 0x4000000;
  Scan in(text);
  if ((!in.take("==") && !in.take("--")) || !in.decimal() || (!in.take("==") && !in.take("--"))) return false;
  Frame frame{.mark = in.since(0)};
  if (in.blanks() == 0) return false;
  if (in.take("at ")) frame.index = 0;
  else if (!in.take("by ")) return false;
  const auto address = in.hex();
  if (!address || !in.take(": ")) return false;
  const std::size_t open = in.rest().rfind(" (");
  if (open == text.npos || !text.ends_with(')')) return false;
  const std::string_view inside = in.rest().substr(open + 2, in.rest().size() - open - 3);
  frame.value = *address;
  if (inside.starts_with("in ")) frame.module = inside.substr(3);
  else if (ends_with_line(inside)) frame.is_resolved = true;
  else return false;
  if (*address >= kProgram && *address < kLibraries) frame.usual_base = kProgram;
  name_or_hole(frame, in.rest().substr(0, open));
  out.push_back(frame);
  return true;
}

///  #2 0x00007f21c1b84b00 (/opt/l/libLLVM.so+0x4de84b0)
bool match_llvm_dump(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  Frame frame{.index = take_index(in)};
  const std::size_t start = in.position();
  const auto address = in.hex();
  if (!frame.index || !address || in.position() - start != 18 || in.blanks() != 1 || !text.ends_with(')')) return false;
  const std::string_view rest = in.rest();
  const std::size_t open = rest.rfind('(');
  const auto place = parse_path_offset(rest.substr(open + 1, rest.size() - open - 2));
  if (!place || rest.starts_with("in ")) return false;
  frame.module = place->path;
  frame.kind = NumberKind::link;
  frame.value = place->offset;
  frame.address = address;
  state.map.learn_bias(frame.module, *address - place->offset);
  const std::string_view name = trim(rest.substr(0, open));
  if (name.empty()) put_function(frame, rest.substr(0, 0), "", " ");
  else frame.function = name;
  out.push_back(frame);
  return true;
}

/// 3  libcb.so.1   0x00007f21c0a4111b: what such a dump has of a place without a name
bool match_llvm_nameless(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.index = in.decimal()};
  if (!frame.index || in.blanks() == 0) return false;
  frame.module = in.word();
  const auto address = in.blanks() != 0 ? in.hex() : std::nullopt;
  if (!address || !in.at_end()) return false;
  frame.value = *address;
  put_function(frame, in.rest(), " ");
  out.push_back(frame);
  return true;
}

constexpr Dialect kLinuxUser[] = {
    {"lldb", match_lldb},
    {"coredumpctl", match_coredumpctl},
    {"backtrace_symbols", match_backtrace_symbols, Adjusting::all_raw},
    {"valgrind", match_valgrind, Adjusting::done},
    {"LLVM stack dump", match_llvm_dump, Adjusting::all_raw},
    {"LLVM stack dump", match_llvm_nameless, Adjusting::all_raw, Rewriting::append, true},
    {"gdb", match_gdb},
    {"boost", match_boost, Adjusting::all_raw},
    {"libunwind", match_libunwind, Adjusting::all_raw},
    {"eu-stack", match_eu_stack, Adjusting::all_but_first, Rewriting::append, true},
    {"glog", match_glog, Adjusting::all_raw, Rewriting::append, true},
};

}  // namespace

std::span<const Dialect> linux_user_dialects() { return kLinuxUser; }

}  // namespace symcached::traces
