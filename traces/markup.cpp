/// The symbolizer markup of LLVM and Fuchsia: {{{bt:N:A}}}, {{{pc:A}}} within any text.
#include "traces/markup.hpp"

#include <vector>

#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::string_view kOpen = "{{{", kClose = "}}}";

/// The fields of the element at the cursor, between colons; empty behind the last one.
std::vector<std::string_view> take_element(Scan& in) {
  std::vector<std::string_view> fields;
  if (!in.until(kOpen)) {
    in.go_to(in.text().size());
    return fields;
  }
  const auto inside = in.until(kClose);
  if (!inside) {
    in.go_to(in.text().size());
    return fields;
  }
  for (std::size_t start = 0; start <= inside->size();) {
    const std::size_t end = std::min(inside->find(':', start), inside->size());
    fields.push_back(inside->substr(start, end - start));
    start = end + 1;
  }
  return fields;
}

std::optional<std::uint64_t> whole(std::optional<std::uint64_t> value, const Scan& in) {
  return in.at_end() ? value : std::nullopt;
}
std::optional<std::uint64_t> number(std::string_view text) {
  Scan in(text);
  const auto value = in.any_number();
  return whole(value, in);
}

/// @param whole_element  from {{{ to }}}
std::optional<Frame> frame_of(std::span<const std::string_view> fields, std::string_view whole_element) {
  const bool is_frame = fields[0] == "bt" && fields.size() >= 3;
  if (!is_frame && !(fields[0] == "pc" && fields.size() >= 2)) return std::nullopt;
  const auto address = number(fields[is_frame ? 2 : 1]);
  if (!address) return std::nullopt;
  Frame frame{.value = *address, .adjust = is_frame ? Adjust::raw : Adjust::exact};
  if (is_frame) frame.index = number(fields[1]);
  const std::string_view kind = fields.size() > (is_frame ? 3u : 2u) ? fields[is_frame ? 3 : 2] : std::string_view();
  if (kind == "pc") frame.adjust = Adjust::exact;
  if (kind == "ra") frame.adjust = Adjust::raw;
  put_function(frame, whole_element);
  return frame;
}

bool match_markup(std::string_view text, TraceState&, Frames& out) {
  constexpr std::size_t kMost = 256;  // of one line
  const std::size_t before = out.size();
  Scan in(text);
  while (!in.at_end() && out.size() - before < kMost) {
    const std::size_t open = std::min(text.find(kOpen, in.position()), text.size());
    const auto fields = take_element(in);
    if (fields.empty()) break;
    if (const auto frame = frame_of(fields, text.substr(open, in.position() - open))) out.push_back(*frame);
  }
  return out.size() != before;
}

constexpr Dialect kMarkup[] = {
    {"markup", match_markup, Adjusting::all_raw},
};

}  // namespace

std::span<const Dialect> markup_dialects() { return kMarkup; }

bool read_markup(std::string_view text, TraceState& state) {
  constexpr std::size_t kMaxModules = 10'000;
  Scan in(text);
  const auto fields = take_element(in);
  if (fields.empty()) return false;
  if (fields[0] == "reset") {
    state.reset_process();
  } else if (fields[0] == "module" && fields.size() >= 5) {
    const auto id = number(fields[1]);
    if (id && state.markup_modules.size() < kMaxModules)
      state.markup_modules[*id] = {std::string(fields[2]), std::string(fields[4])};
  } else if (fields[0] == "mmap" && fields.size() >= 7 && fields[3] == "load") {
    const auto start = number(fields[1]), size = number(fields[2]), id = number(fields[4]), at = number(fields[6]);
    const auto module = id ? state.markup_modules.find(*id) : state.markup_modules.end();
    if (!start || !size || !at || module == state.markup_modules.end()) return false;
    state.map.add(
        {*start, *start + std::min(*size, ~*start), Mapped::link, *at, module->second.name, module->second.build_id});
  } else {
    return false;
  }
  return true;
}

}  // namespace symcached::traces
