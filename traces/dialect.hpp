#pragma once
/// Ways of writing stack frames: a row each, in the tables of the files beside this one. Which number a frame has, what
/// it means and how the line is rewritten: docs/traces.md.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "traces/frame_source.hpp"
#include "traces/scan.hpp"

namespace symcached::traces {

class TraceState;
struct Dialect;

/// Whether 1 is subtracted before the lookup.
enum class Adjust : std::uint8_t {
  raw,    ///< a return address: yes
  done,   ///< whoever printed it did
  exact,  ///< where something happened: no
};
std::string_view name_of(Adjust adjust);

enum class Adjusting : std::uint8_t {
  all_raw,
  all_but_first,  ///< the first frame of a stack and the one that a signal interrupted are exact
  done,
};

/// How a line is written with what is known.
enum class Rewriting : std::uint8_t {
  append,        ///< the function where the line has none, " at FILE:LINE:COLUMN" at its end; inlined calls before it
  append_after,  ///< the same, of stacks that begin with the outermost caller: inlined calls after it
  in_line,       ///< only functions, separated by ';', outermost first: one line stays one line
  columns,       ///< FUNCTION|FILE|LINE at the hole
  dotnet,        ///< FILE:line LINE at the hole
};

/// A frame as a line states it. Views into the line.
struct Frame {
  const Dialect* dialect = nullptr;
  std::string_view module = {};    ///< empty = not said
  std::string_view build_id = {};  ///< as written: any case, dashes
  std::string_view debug_id = {};  ///< as written
  std::string_view function = {};  ///< a name, not one of the words for "unknown"
  NumberKind kind = NumberKind::runtime;
  std::uint64_t value = 0;
  std::optional<std::uint64_t> address = {};  ///< in the process, if it is there besides
  std::optional<std::uint64_t> size = {};     ///< named
  std::uint32_t il_offset = 0;                ///< token
  std::optional<std::uint64_t> usual_base = {};
  std::optional<std::uint64_t> index = {};
  std::optional<Adjust> adjust = {};  ///< none: as the dialect's rule has it
  bool is_resolved = false;           ///< file and line are there, or need not be looked for
  bool must_be_mapped = false;        ///< a frame only if a memory map, before or behind it, covers the address
  bool may_be_address = false;        ///< file: or of the process, if the file has no such offset

  // Rewriting.
  std::string_view hole = {};  ///< what the function replaces; may be empty; null = the line has its function
  std::string_view lead = {}, tail = {};  ///< static texts around what is put there
  std::string_view mark = {};             ///< what lines of inlined calls begin with, too: "==812=="
};

/// Frames of the lines that are held back, in the order of the text.
using Frames = std::vector<Frame>;

struct Dialect {
  std::string_view name;  ///< as output and docs/traces.md have it
  /// Appends the frames of a line to `out`, which may hold those of lines before.
  /// @param text   from where the line may begin, behind the marks of loggers, to its end without trailing blanks
  /// @return false: the line is not written like this; `out` and `state` are as before
  bool (*match)(std::string_view text, TraceState& state, Frames& out);
  Adjusting adjusting = Adjusting::all_but_first;
  Rewriting rewriting = Rewriting::append;
  bool weak = false;  ///< easily mistaken: one line alone is no trace
};

// The tables, by file.
std::span<const Dialect> linux_user_dialects();
std::span<const Dialect> runtime_dialects();
std::span<const Dialect> address_dialects();
std::span<const Dialect> sanitizer_dialects();
std::span<const Dialect> kernel_dialects();
std::span<const Dialect> profiler_dialects();
std::span<const Dialect> windows_dialects();
std::span<const Dialect> minidump_dialects();
std::span<const Dialect> android_dialects();
std::span<const Dialect> apple_dialects();
std::span<const Dialect> markup_dialects();
std::span<const Dialect> managed_dialects();

/// All rows, in the order in which they are tried.
std::span<const Dialect* const> all_dialects();

}  // namespace symcached::traces
