/// Reports of macOS and iOS: crash reports in text, sample, spindump.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

/// A name, or the UUID of an image without one: "<4f2c0a1b-...>".
void set_module(Frame& frame, std::string_view name) {
  if (name.starts_with('<') && name.ends_with('>')) frame.build_id = name.substr(1, name.size() - 2);
  else frame.module = name;
}

/// 3   Srv   0x0000000104a16560 0x104a10000 + 25952
/// 3   Srv   0x0000000104a16560 main + 36
bool match_crash(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.index = in.decimal()};
  if (!frame.index || in.blanks() == 0) return false;
  const std::size_t start = in.position();
  const auto module = in.until(" 0x");
  if (!module || trim(*module).empty() || trim(*module).find('|') != text.npos) return false;
  frame.module = trim(text.substr(start, module->size()));
  in.go_to(in.position() - 2);
  const auto address = in.hex();
  if (!address) return false;
  frame.value = *address;
  if (in.blanks() != 1) return false;
  const std::size_t place = in.position();
  const auto parts = parse_name_offset(in.rest(), " + ");
  if (!parts) return false;
  if (const auto base = Scan(parts->name).hex()) {
    if (*address - *base != parts->offset) return false;
    frame.kind = NumberKind::image;
    frame.address = address;
    frame.value = parts->offset;
    put_function(frame, text.substr(place));
  } else {
    frame.function = parts->name;
    frame.kind = NumberKind::named;
    frame.address = address;
    frame.value = parts->offset;
  }
  out.push_back(frame);
  return true;
}

///    + ! 37 ???  (in Srv)  load address 0x104a10000 + 0x6560  [0x104a16560]
bool match_sample(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  while (!in.at_end() && std::string_view("+!:| ").find(in.peek()) != text.npos) in.go_to(in.position() + 1);
  if (!in.decimal() || in.blanks() != 1 || !text.ends_with(']')) return false;
  const std::size_t start = in.position();
  const auto name = in.until("  (in ");
  const auto module = name ? in.until(")") : std::nullopt;
  if (!module) return false;
  Frame frame{};
  set_module(frame, *module);
  const std::size_t open = text.rfind('[');
  Scan bracket(text.substr(open + 1));
  const auto address = bracket.hex();
  if (!address || open < in.position()) return false;
  frame.value = *address;
  if (const auto place = parse_path_offset(trim(text.substr(in.position(), open - in.position())), " + ");
      place && place->path.starts_with("load address")) {
    frame.kind = NumberKind::image;
    frame.address = address;
    frame.value = place->offset;
  }
  name_or_hole(frame, text.substr(start, name->size()));
  frame.adjust = Adjust::raw;
  out.push_back(frame);
  return true;
}

///  *15  ??? (kernel + 40960) [0xfffffe0007a1c000]
bool match_spindump(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  in.take('*');
  if (!in.decimal() || in.blanks() == 0) return false;
  const std::size_t open = text.rfind(" [0x"), close = text.find(']', open);
  if (open == text.npos || close == text.npos || open < in.position()) return false;
  Scan bracket(text.substr(open + 2));
  const auto address = bracket.hex();
  const std::string_view frame_text = text.substr(in.position(), open - in.position());
  const std::size_t paren = frame_text.rfind(" (");
  if (!address || paren == frame_text.npos || !frame_text.ends_with(')')) return false;
  const auto place = parse_name_offset(frame_text.substr(paren + 2, frame_text.size() - paren - 3), " + ");
  if (!place) return false;
  Frame frame{.kind = NumberKind::image, .value = place->offset, .address = address};
  set_module(frame, place->name);
  const std::string_view name = frame_text.substr(0, paren);
  const auto parts = parse_name_offset(name, " + ");
  name_or_hole(frame, parts ? parts->name : name);
  frame.adjust = Adjust::raw;
  out.push_back(frame);
  return true;
}

constexpr Dialect kApple[] = {
    {"sample", match_sample, Adjusting::all_raw, Rewriting::append_after},
    {"spindump", match_spindump, Adjusting::all_raw, Rewriting::append_after},
    {"apple crash", match_crash},
};

}  // namespace

std::span<const Dialect> apple_dialects() { return kApple; }

}  // namespace symcached::traces
