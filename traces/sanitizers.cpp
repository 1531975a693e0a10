/// Reports of the sanitizers, without their symbolizer.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::string_view kBuildId = "(BuildId: ";

/// "(/opt/a/libcb.so+0x111a) (BuildId: 4f2c...)", at the end of a line
struct Place {
  PathOffset path;
  std::string_view build_id;
  std::size_t start = 0;  ///< of the first parenthesis
};
std::optional<Place> place_at_end(std::string_view text) {
  Place place{};
  if (const std::size_t id = text.rfind(kBuildId); id != text.npos && text.ends_with(')')) {
    place.build_id = text.substr(id + kBuildId.size(), text.size() - id - kBuildId.size() - 1);
    text = trim_end(text.substr(0, id));
  }
  const std::size_t plus = text.rfind("+0x");
  if (plus == text.npos || !text.ends_with(')')) return std::nullopt;
  for (std::size_t open = text.rfind('(', plus); open != text.npos && open != 0; open = text.rfind('(', open - 1)) {
    if (!is_blank(text[open - 1])) continue;  // within the path
    const auto path = parse_path_offset(text.substr(open + 1, text.size() - open - 2));
    if (!path) return std::nullopt;
    place.path = *path;
    place.start = open;
    return place;
  }
  return std::nullopt;
}

void set_place(Frame& frame, const Place& place) {
  frame.module = place.path.path;
  frame.build_id = place.build_id;
  frame.kind = NumberKind::link;
  frame.value = place.path.offset;
}

///     #1 0x7f21c0a4111a  (/opt/a/libcb.so+0x111a) (BuildId: 4f2c...)
///     #1 0x7f21c0a4111a in poke (/opt/a/libcb.so+0x111a)
///     #0 <null> <null> (libcb.so+0x111a)
bool match_sanitizer(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  Frame frame{.index = take_index(in)};
  if (!frame.index) return false;
  const std::size_t start = in.position();
  frame.address = in.hex();
  if (frame.address && in.position() - start == 18 && in.rest().size() > 1 && in.rest()[1] != ' ' &&
      !in.rest().starts_with(" in "))
    return false;  // a dump of LLVM
  const std::size_t behind = in.position();
  const auto place = place_at_end(text);
  if (!place || place->start < behind) return false;
  set_place(frame, *place);
  if (frame.address) {
    state.map.learn_bias(frame.module, *frame.address - frame.value);
    if (in.take(" in ")) frame.function = trim(text.substr(in.position(), place->start - in.position()));
    else if (!trim(text.substr(behind, place->start - behind)).empty()) return false;
    else put_function(frame, text.substr(behind + 1, 0), "in ");
    out.push_back(frame);
    return true;
  }
  const std::string_view name = trim(text.substr(behind, place->start - behind));
  if (name == "<null> <null>") put_function(frame, text.substr(behind, name.size()));
  else if (name.ends_with(" <null>")) frame.function = trim(name.substr(0, name.size() - 7));
  else return false;
  out.push_back(frame);
  return true;
}

/// SUMMARY: AddressSanitizer: heap-use-after-free (/opt/a/srv+0x13c7) (BuildId: 4f2c...)
bool match_summary(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  if (!in.take("SUMMARY: ")) return false;
  std::string_view frame_text = text;
  Frame frame{};
  if (const std::size_t name = text.rfind(") in "); name != text.npos) {
    frame.function = text.substr(name + 5);
    frame_text = text.substr(0, name + 1);
  }
  const auto place = place_at_end(frame_text);
  if (!place) return false;
  set_place(frame, *place);
  if (frame.function.empty()) put_function(frame, text.substr(text.size()), " in ");
  out.push_back(frame);
  return true;
}

constexpr Dialect kSanitizers[] = {
    {"sanitizer", match_sanitizer, Adjusting::done},
    {"sanitizer summary", match_summary, Adjusting::done},
};

}  // namespace

std::span<const Dialect> sanitizer_dialects() { return kSanitizers; }

}  // namespace symcached::traces
