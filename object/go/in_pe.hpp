#pragma once
/// Go's table of functions in a PE image, where no section is named for it.
#include <optional>

#include "formats/pe/reader.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// True if the image has a table that can be read.
/// Cost: nothing for images that name a PDB; one pass over the data of others.
bool has_go_table(const pe::Image& image);
/// Nothing if there is no table, or none whose code is in the file. Cost: as above.
std::optional<GoProgram> go_program_of(const pe::Image& image);
/// What stands in for the id of a PDB: see go_debug_id.
std::optional<DebugId> go_debug_id_of(const pe::Image& image);

}  // namespace symcached::object
