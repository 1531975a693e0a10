#pragma once
/// From ELF files to the model: symbols of all tables, DWARF of the file and of those it refers to.
/// What is taken from where: docs/formats/elf.md.
#include <optional>
#include <vector>

#include "formats/elf/reader.hpp"
#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// As object::translate, for an ELF file.
Read<void> translate_elf(const Original& original, model::ModuleSink& sink);

/// As object::needed_files, for an ELF file.
std::vector<NeedFile> needed_files_elf(Bytes file, std::span<const Companion> companions);

/// As object::stated_image_base, for an ELF file.
std::optional<std::uint64_t> image_base_elf(Bytes file);

model::Arch arch_of(elf::Machine machine);

}  // namespace symcached::object
