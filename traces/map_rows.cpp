/// Rows of memory maps and lists of modules, as systems and debuggers print them.
#include <algorithm>

#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

std::string_view without_deleted(std::string_view path) {
  return path.ends_with(kDeleted) ? path.substr(0, path.size() - kDeleted.size()) : path;
}

bool is_code(std::string_view permissions) { return permissions.find('x') != permissions.npos; }

/// 564bfd877000-564bfd878000 r-xp 00001000 fe:00 10002593      /opt/a/srv
bool read_proc_maps(std::string_view text, TraceState& state) {
  Scan in(text);
  in.blanks();
  const auto start = in.bare_hex();
  if (!start || !in.take('-')) return false;
  const auto end = in.bare_hex();
  if (!end || in.blanks() == 0) return false;
  const std::string_view permissions = in.word();
  in.blanks();
  const auto offset = in.bare_hex();
  if (permissions.size() != 4 || !offset || in.blanks() == 0) return false;
  if (in.word().find(':') == text.npos || in.blanks() == 0 || !in.decimal()) return false;
  state.add_map_row({*start, *end, *offset, is_code(permissions), without_deleted(trim(in.rest()))});
  return true;
}

/// 0x5648cba62000     0x5648cba63000     0x1000     0x1000  r-xp   /opt/a/srv
bool read_gdb_mappings(std::string_view text, TraceState& state) {
  Scan in(text);
  std::array<std::uint64_t, 4> numbers{};
  for (std::uint64_t& number : numbers) {
    in.blanks();
    const auto value = in.hex();
    if (!value) return false;
    number = *value;
  }
  if (numbers[1] - numbers[0] != numbers[2] || in.blanks() == 0) return false;
  const Scan before = in;
  const std::string_view permissions = in.word();
  const bool is_old = permissions.size() != 4 || permissions.starts_with('/');  // without permissions
  if (is_old) in = before;
  state.add_map_row({numbers[0], numbers[1], numbers[3], is_old || is_code(permissions), trim(in.rest())});
  return true;
}

/// [  0] 4F2C0A1B-... 0x0000555555554000 /opt/a/srv
bool read_image_list(std::string_view text, TraceState& state) {
  Scan in(text);
  if (!in.take('[')) return false;
  in.blanks();
  if (!in.decimal() || !in.take("] ")) return false;
  const std::string_view id = in.word();
  in.blanks();
  const auto base = in.hex();
  if (!base || in.blanks() == 0 || id.size() < 8) return false;
  const std::string_view path = in.rest().substr(0, in.rest().find(" (0x"));
  state.map.add_base(*base, trim(path), id);
  state.learn_ids(trim(path), {std::string(id), {}});
  return true;
}

/// 0x104a10000 - 0x104a1bfff Srv arm64  <4f2c0a1b...> /opt/a/Srv
bool read_binary_image(std::string_view text, TraceState& state) {
  Scan in(text);
  in.blanks();
  const auto start = in.hex();
  if (!start || in.blanks() == 0 || !in.take('-') || in.blanks() == 0) return false;
  const auto end = in.hex();
  if (!end || in.blanks() == 0) return false;
  in.take('+');
  const std::size_t name_start = in.position();
  const std::size_t open = text.rfind('<'), close = text.rfind('>');
  if (open == text.npos || close == text.npos || open < name_start || close < open) return false;
  const std::string_view id = text.substr(open + 1, close - open - 1), path = trim(text.substr(close + 1));
  std::string_view name = trim(text.substr(name_start, open - name_start));
  name = name.substr(0, name.find(' '));
  state.map.add({*start, *end + 1, Mapped::image, 0, std::string(path.empty() ? name : path), std::string(id)});
  state.learn_ids(path.empty() ? name : path, {std::string(id), {}});
  return true;
}

/// __TEXT   104a10000-104a1c000  [ 48K 48K 0K 0K] r-x/r-x SM=COW  /opt/a/Srv
bool read_vmmap(std::string_view text, TraceState& state) {
  Scan in(text);
  if (!in.take("__TEXT") || in.blanks() == 0) return false;
  const auto start = in.bare_hex();
  if (!start || !in.take('-')) return false;
  const auto end = in.bare_hex();
  if (!end || !in.until("SM=")) return false;
  in.word();
  in.blanks();
  state.map.add({*start, *end, Mapped::image, 0, std::string(in.rest()), {}});
  return true;
}

/// PERF_RECORD_MMAP2 6045/6045: [0x564bfd877000(0x1000) @ 0x1000 fe:00 10002593 0]: r-xp /opt/a/srv
/// With `record --buildid-mmap` the build id stands behind the offset: @ 0x1000 <4f2c…>]
bool read_perf_mmap(std::string_view text, TraceState& state) {
  Scan in(text);
  if (!in.until("PERF_RECORD_MMAP") || !in.until(": [")) return false;
  const auto start = in.hex();
  if (!start || !in.take('(')) return false;
  const auto size = in.hex();
  if (!size || !in.take(") @ ")) return false;
  const auto offset = in.any_hex();
  Scan id(in.rest());
  if (!offset || !in.until("]: ")) return false;
  const std::string_view build_id = id.take(" <") ? id.rest().substr(0, id.rest().find('>')) : std::string_view();
  const std::string_view permissions = in.word();
  in.blanks();
  const std::string_view path = without_deleted(in.rest());
  if (is_code(permissions) && !path.starts_with('['))
    state.map.add({*start, *start + std::min(*size, ~*start), Mapped::file, *offset, std::string(path),
                   std::string(build_id.substr(0, kMaxModuleName))});
  return true;
}

constexpr bool (*kRows[])(std::string_view, TraceState&) = {
    read_proc_maps, read_gdb_mappings, read_image_list, read_binary_image, read_vmmap, read_perf_mmap,
};

}  // namespace

bool read_map_row(std::string_view text, TraceState& state) {
  return std::ranges::any_of(kRows, [&](auto row) { return row(text, state); });
}

}  // namespace symcached::traces
