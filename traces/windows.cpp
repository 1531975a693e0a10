/// Stacks of Windows: places in modules, WinDbg, Visual Studio, xperf.
#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "traces/csv.hpp"
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

bool is_image_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kExtensions{".exe", ".dll", ".sys", ".ocx", ".drv", ".pyd", ".node"};
  const std::string lower = lower_ascii(name);
  return std::ranges::any_of(kExtensions, [&](std::string_view e) { return std::string_view(lower).ends_with(e); });
}

/// srv.exe+0x1a2b3, with or without 0x, at the end of a line or in parentheses
bool match_module_offset(std::string_view text, TraceState&, Frames& out) {
  std::string_view place = text;
  if (place.ends_with(')')) place.remove_suffix(1);
  const std::size_t plus = place.rfind('+');
  if (plus == place.npos) return false;
  Scan offset(place.substr(plus + 1));
  const auto value = offset.any_hex();
  if (!value || !offset.at_end()) return false;
  const std::string_view before = place.substr(0, plus);
  std::string_view module = before.substr(before.find_last_of(" \t(,;") + 1);
  if (const std::size_t drive = before.rfind(":\\"); drive != before.npos && drive != 0)
    module = before.substr(drive - 1);
  if (!is_image_name(module) || module.find('!') != module.npos) return false;
  Frame frame{.module = module, .kind = NumberKind::image, .value = *value};
  put_function(frame, text.substr(text.size()), " ");
  out.push_back(frame);
  return true;
}

/// Fault offset: 0x000000000001a2b3, behind the name of the module
bool match_fault(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  in.blanks();
  if (!in.take("Fault offset: ") || state.faulting_module.empty()) return false;
  const auto offset = in.any_hex();
  if (!offset || !in.at_end()) return false;
  Frame frame{.module = state.faulting_module, .kind = NumberKind::image, .value = *offset, .adjust = Adjust::exact};
  put_function(frame, text.substr(text.size()), " ");
  out.push_back(frame);
  return true;
}

/// Eight digits, or eight, a backtick and eight.
bool take_debugger_address(Scan& in) {
  const std::string_view rest = in.rest();
  const auto digits = [&](std::size_t at) { return rest.size() >= at + 8 && is_hex(rest.substr(at, 8)); };
  if (!digits(0)) return false;
  in.go_to(in.position() + (rest.size() > 8 && rest[8] == '`' && digits(9) ? 17 : 8));
  return true;
}

/// 03 000000e1`4d2ff8c0 00007ff7`1c2a10f4     srv!run+0x5c [c:\s\w.cpp @ 441]
bool match_windbg(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{};
  if (Scan number = in; true) {
    const auto index = number.bare_hex();
    if (index && *index < 0x10000 && number.blanks() != 0) {
      frame.index = index;
      in = number;
    }
  }
  std::size_t addresses = 0;
  while (take_debugger_address(in) && in.blanks() != 0) ++addresses;
  if (addresses < 2) return false;
  if (in.take(": ")) in.blanks();
  std::string_view place = in.rest();
  if (place.ends_with(']') && place.find(" @ ") != place.npos) frame.is_resolved = true;
  place = place.substr(0, place.find(' '));
  const std::size_t bang = place.find('!');
  if (bang != place.npos) {
    frame.module = place.substr(0, bang);
    const auto parts = parse_name_offset(place.substr(bang + 1));
    frame.kind = NumberKind::named;
    frame.function = parts ? parts->name : place.substr(bang + 1);
    frame.value = parts ? parts->offset : 0;
  } else if (const auto offset = parse_path_offset(place)) {
    frame.module = offset->path;
    frame.kind = NumberKind::image;
    frame.value = offset->offset;
    put_function(frame, text.substr(text.size()), " ");
  } else {
    return false;
  }
  out.push_back(frame);
  return true;
}

/// <tab>user32.dll!00007ff9b1c02f40()<tab>Unknown
bool match_visual_studio(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  Frame frame{};
  if (in.take('>')) frame.adjust = Adjust::exact;
  if (!in.take('\t')) return false;
  const auto module = in.until("!");
  if (!module || module->find('\t') != text.npos) return false;
  const std::size_t start = in.position();
  const auto address = in.bare_hex();
  if (!address || in.position() - start < 8) return false;
  put_function(frame, text.substr(start, in.position() - start));
  frame.module = *module;
  frame.value = *address;
  out.push_back(frame);
  return true;
}

/// Stack, 88120, 4410, 2, 0x00007ff71c2a10f4, srv.exe!0x00007ff71c2a10f4
bool match_xperf(std::string_view text, TraceState& state, Frames& out) {
  Scan in(text);
  in.blanks();
  if (!in.take("Stack,")) return false;
  const auto fields = csv_fields(text);
  const auto field = [&](std::string_view name, std::size_t usual) {
    const auto found = std::ranges::find(state.columns, name);
    const auto at = found == state.columns.end() ? usual : static_cast<std::size_t>(found - state.columns.begin());
    return at < fields.size() ? fields[at] : std::string_view();
  };
  Scan number(field("no.", 3)), address(field("address", 4));
  const auto index = number.decimal();
  const auto value = address.hex();
  const std::string_view name = field("image!function", 5);
  const std::size_t bang = name.find('!');
  if (!index || !value || bang == name.npos) return false;
  Frame frame{.value = *value, .index = index, .adjust = *index == 1 ? Adjust::exact : Adjust::raw};
  if (name.substr(0, bang) != "Unknown") frame.module = name.substr(0, bang);
  put_function(frame, name.substr(bang + 1));
  frame.is_resolved = !Scan(frame.hole).hex();
  out.push_back(frame);
  return true;
}

constexpr Dialect kWindows[] = {
    {"WinDbg", match_windbg},
    {"Visual Studio", match_visual_studio},
    {"xperf", match_xperf, Adjusting::all_raw, Rewriting::in_line},
    {"event log", match_fault},
    {"module+offset", match_module_offset, Adjusting::all_raw},
};

}  // namespace

std::span<const Dialect> windows_dialects() { return kWindows; }

}  // namespace symcached::traces
