#pragma once
/// Where functions are that have no names: what the unwind tables cover. docs/formats/elf.md, "Symbols".
#include <vector>

#include "formats/elf/reader.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

/// From .eh_frame, sorted and disjoint. None of a relocatable file; of a table that breaks off, those before the fault.
/// Cost: one pass over the table, 16 bytes of memory for each function.
std::vector<CodeRange> functions_of(const elf::File& file);

}  // namespace symcached::object
