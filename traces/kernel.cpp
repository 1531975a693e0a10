/// The Linux kernel: oopses, warnings, hung tasks, /proc/PID/stack.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::string_view kKernel = "vmlinux";

/// "foo_work+0x12/0x80", the place in it and its extent
struct Symbol {
  std::string_view name;
  std::uint64_t offset = 0, size = 0;
};

/// A symbol at the cursor, whose name has no blanks.
std::optional<Symbol> take_symbol(Scan& in) {
  const std::size_t start = in.position();
  const std::string_view word = in.rest().substr(0, in.rest().find_first_of(" \t"));
  const std::size_t slash = word.rfind("/0x"), plus = slash == word.npos ? word.npos : word.rfind("+0x", slash);
  if (plus == word.npos || plus == 0) return std::nullopt;
  Symbol symbol{word.substr(0, plus)};
  in.go_to(start + plus + 1);
  const auto offset = in.hex();
  const auto size = offset && in.take('/') ? in.hex() : std::nullopt;
  if (!size || !(in.at_end() || is_blank(in.peek()))) {
    in.go_to(start);
    return std::nullopt;
  }
  symbol.offset = *offset;
  symbol.size = *size;
  return symbol;
}

/// " [mod 4f2c...]" and flags such as " (P)", up to the line's end.
/// @return false: there is something else
bool take_module(Scan& in, Frame& frame) {
  frame.module = kKernel;
  in.blanks();
  if (in.take('[')) {
    const auto inside = in.until("]");
    if (!inside || inside->empty()) return false;
    const std::size_t blank = inside->find(' ');
    frame.module = inside->substr(0, blank);
    frame.build_id = blank == inside->npos ? std::string_view() : inside->substr(blank + 1);
    in.blanks();
  }
  while (in.take('(')) {
    const auto flags = in.until(")");
    if (!flags || flags->size() > 8) return false;
    if (flags->find('P') != flags->npos) frame.adjust = Adjust::exact;
    in.blanks();
  }
  if (in.at_end()) return true;
  frame.is_resolved = ends_with_line(in.rest()) || in.rest().ends_with("[inline]");
  return frame.is_resolved;
}

bool take_frame(Scan& in, Frame& frame) {
  const auto symbol = take_symbol(in);
  if (!symbol) return false;
  frame.kind = NumberKind::named;
  frame.function = symbol->name;
  frame.value = symbol->offset;
  frame.size = symbol->size;
  return take_module(in, frame);
}

///  ? foo_work+0x12/0x80 [mod]
/// [<ffffffff8107d3c4>] foo_work+0x12/0x80
bool match_stack(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{};
  in.blanks();
  if (in.take("[<")) {
    const auto address = in.any_hex();
    if (!address || !in.take(">]")) return false;
    if (*address != 0) frame.address = address;
    in.blanks();
  }
  if (in.take("? ")) in.blanks();
  if (!take_frame(in, frame)) return false;
  out.push_back(frame);
  return true;
}

/// RIP: 0010:foo+0x12/0x80, pc : foo+0x10/0x40, lr : foo+0x10/0x40, WARNING: CPU: 1 PID: 2 at a.c:3 foo+0x12/0x80
bool match_register(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.adjust = Adjust::exact};
  if (in.take("RIP: ") || in.take("EIP: ")) {
    if (const Scan before = in; !in.bare_hex() || !in.take(':')) in = before;
  } else if (in.take("lr : ")) {
    frame.adjust = Adjust::raw;
  } else if (in.take("WARNING: ")) {
    const std::size_t last = trim_end(text.substr(0, text.rfind(" ["))).rfind(' ');
    if (last == text.npos) return false;
    in.go_to(last + 1);
  } else if (!in.take("pc : ") && !in.take("PC is at ") && !in.take("epc : ")) {
    return false;
  }
  if (!take_frame(in, frame)) return false;
  if (frame.is_resolved) return false;
  out.push_back(frame);
  return true;
}

constexpr Dialect kKernelDialects[] = {
    {"kernel", match_stack, Adjusting::all_raw},
    {"kernel register", match_register, Adjusting::all_raw},
};

}  // namespace

std::span<const Dialect> kernel_dialects() { return kKernelDialects; }

}  // namespace symcached::traces
