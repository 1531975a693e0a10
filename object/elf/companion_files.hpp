#pragma once
/// Which of the companions of an ELF file are used: those that belong to it.
#include <optional>
#include <span>

#include "formats/elf/reader.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// The debug file of a program: with DWARF or symbols, of the same build; where ids are missing, with the checksum that
/// the program states.
std::optional<elf::File> debug_companion(const elf::File& program, std::span<const Companion> all);

/// The file with what dwz moved out of several files.
std::optional<elf::File> supplementary_companion(const elf::File& with_dwarf, std::span<const Companion> all);

}  // namespace symcached::object
