#pragma once
/// Names of code from an ELF file's symbol tables and its PLT. Which symbols count: docs/formats/elf.md, "Symbols".
#include <vector>

#include "formats/elf/reader.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

std::vector<CodeRange> code_ranges_of(const elf::File& file);

/// Of a relocatable file: where elf::File placed each section with code. Of a linked one: none.
std::vector<model::CodeSection> code_sections_of(const elf::File& file);

/// Adds the names of code in .symtab and .dynsym. The names live as long as the file's bytes.
/// @param program  of a debug file: the one that has the bytes of sections; null = the file itself
/// Cost: one pass over the tables.
Read<void> add_elf_symbols(const elf::File& file, CodeSymbols& symbols, const elf::File* program = nullptr);

/// Those alone that lie in `around` or reach into it, and of each table the last ones before it and the first ones
/// behind it: enough for CodeSymbols::finish() to give those in `around` the sizes that they have among all.
/// Not for object files, nor for files with function descriptors.
/// Cost: one pass over the tables, without names: about 3 ns a symbol.
Read<void> add_elf_symbols_around(const elf::File& file, CodeRange around, CodeSymbols& symbols);

}  // namespace symcached::object
