#pragma once
/// Names for the procedure linkage table, which has no symbols of its own: each entry jumps through a slot that a
/// dynamic relocation fills with the address of a named function. Spec: docs/formats/elf.md, "Stubs".
#include <deque>
#include <string>

#include "formats/elf/reader.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

/// Adds "puts@plt" and the like, for x86, x86-64 and AArch64.
/// @param names  keeps the text; lives as long as `symbols`
/// Cost: one pass over the dynamic relocations and the stubs. What cannot be read has no names.
void add_plt_names(const elf::File& file, CodeSymbols& symbols, std::deque<std::string>& names);

}  // namespace symcached::object
