/// Tombstones and crash logs of Android.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

/// What stands in parentheses behind the path: "(abort+160)", "(BuildId: 5f1e...)", "(offset 0x1000)".
void read_note(std::string_view note, Frame& frame) {
  constexpr std::string_view kBuildId = "BuildId: ";
  if (note.starts_with(kBuildId)) frame.build_id = note.substr(kBuildId.size());
  else if (note.starts_with("offset ")) return;  // where the file lies in its archive
  else if (const auto parts = parse_name_offset(note)) frame.function = parts->name;
}

///     #03 pc 0000000000052f8c  /system/lib64/libc.so (abort+160) (BuildId: 5f1e...)
bool match_tombstone(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{.kind = NumberKind::link, .index = take_index(in)};
  if (!frame.index || !in.take("pc ")) return false;
  const auto value = in.any_hex();
  if (!value || in.blanks() == 0) return false;
  frame.value = *value;
  std::string_view rest = in.rest();
  std::size_t first_note = text.size();
  while (rest.ends_with(')')) {
    const std::size_t open = rest.rfind(" (");
    if (open == rest.npos) break;
    read_note(rest.substr(open + 2, rest.size() - open - 3), frame);
    rest = trim_end(rest.substr(0, open));
    first_note = in.position() + rest.size();
  }
  if (rest.starts_with("(offset "))  // as it was once printed, before the path
    if (const std::size_t close = rest.find(") "); close != rest.npos) rest = trim(rest.substr(close + 2));
  if (rest.empty() || rest.starts_with("<unknown>") || rest.starts_with("<anonymous:")) return false;
  const std::size_t member = rest.rfind('!');  // base.apk!libcb.so
  frame.module = member == rest.npos ? rest : rest.substr(member + 1);
  if (frame.function.empty()) put_function(frame, text.substr(first_note, 0), " (", ")");
  out.push_back(frame);
  return true;
}

constexpr Dialect kAndroid[] = {
    {"android", match_tombstone, Adjusting::done},
};

}  // namespace

std::span<const Dialect> android_dialects() { return kAndroid; }

}  // namespace symcached::traces
