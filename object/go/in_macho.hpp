#pragma once
/// Go's table of functions in a Mach-O file.
#include <optional>

#include "formats/macho/reader.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// True if the file has a table that can be read. Cost: looks at section headers.
bool has_go_table(const macho::File& file);
/// Nothing if there is no table, or none whose code is in the file.
std::optional<GoProgram> go_program_of(const macho::File& file);
/// What stands in for a UUID: see go_debug_id.
std::optional<DebugId> go_debug_id_of(const macho::File& file);

}  // namespace symcached::object
