#pragma once
/// Go's table of functions in an ELF file.
#include <optional>

#include "formats/elf/reader.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// True if the file has a table that can be read. Cost: looks at section headers; a position-independent program of
/// Go's that a C linker made is searched for it, up to Go 1.25.
bool has_go_table(const elf::File& file);

/// Nothing if there is no table, or none whose code is in the file. Cost: copies what a loader would relocate.
std::optional<GoProgram> go_program_of(const elf::File& file);

}  // namespace symcached::object
