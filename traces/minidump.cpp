/// Breakpad's minidump_stackwalk, for people and for machines (-m).
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

///  1  libcb.so + 0x111b
bool match_stackwalk(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.index = in.decimal()};
  if (!frame.index || in.blanks() < 2) return false;
  const auto place = parse_path_offset(in.rest(), " + ");
  if (!place || place->path.starts_with("0x")) return false;
  if (const std::size_t bang = place->path.find('!'); bang != text.npos) {
    frame.module = place->path.substr(0, bang);
    frame.function = place->path.substr(bang + 1);
    frame.kind = NumberKind::named;
  } else {
    if (place->path.find("  ") != text.npos || place->path.find(" 0x") != text.npos) return false;
    frame.module = place->path;
    frame.kind = NumberKind::image;
    put_function(frame, text.substr(text.size()), " ");
  }
  frame.value = place->offset;
  out.push_back(frame);
  return true;
}

/// 0|1|libcb.so||||0x111b: thread, frame, module, function, file, line, offset
bool match_machine(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  const auto thread = in.decimal();
  if (!thread || !in.take('|')) return false;
  Frame frame{.index = in.decimal()};
  if (!frame.index || !in.take('|')) return false;
  const auto module = in.until("|"), function = in.until("|");
  if (!module || !function) return false;
  const std::size_t places = in.position();
  const auto file = in.until("|"), line = in.until("|");
  const auto offset = in.any_hex();
  if (!file || !line || !offset || !in.at_end()) return false;
  state.start_thread(text.substr(0, text.find('|')));
  frame.module = *module;
  frame.value = *offset;
  frame.is_resolved = !file->empty();
  frame.function = *function;
  frame.kind = function->empty() ? NumberKind::image : NumberKind::named;
  const std::size_t start = places - function->size() - 1;
  put_function(frame, text.substr(start, function->size() + 1 + file->size() + 1 + line->size()));
  out.push_back(frame);
  return true;
}

constexpr Dialect kMinidump[] = {
    {"minidump_stackwalk -m", match_machine, Adjusting::all_but_first, Rewriting::columns},
    {"minidump_stackwalk", match_stackwalk},
};

}  // namespace

std::span<const Dialect> minidump_dialects() { return kMinidump; }

}  // namespace symcached::traces
