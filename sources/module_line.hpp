#pragma once
/// One line of a list of modules, in any of the dialects that docs/module-lists.md has.
#include <cstdint>
#include <optional>
#include <string_view>

#include "sources/module_ids.hpp"

namespace symcached::sources {

enum class LineKind : std::uint8_t {
  module,
  nothing,  ///< blank, a comment, the heading of a table
  unknown,  ///< in no dialect, or a module without an id
};

struct ModuleLine {
  LineKind kind;
  ModuleIds module = {};  ///< only of a module
};

/// @param line  without its end; any bytes
ModuleLine parse_module_line(std::string_view line);

/// A debug id as people write it: a GUID in any spelling of Guid::parse, with or without an age in hex behind it, which
/// may have a dash before it.
struct StatedId {
  DebugId id;  ///< age 0 unless has_age
  bool has_age = false;
};
std::optional<StatedId> parse_stated_id(std::string_view text);

/// "SHA256:0011aabb"
std::optional<Checksum> parse_checksum(std::string_view text);

/// Hex digits in lower case without dashes; nothing unless there are 1 to kMaxCodeId of them.
std::optional<std::string> parse_code_id(std::string_view text);

}  // namespace symcached::sources
