#pragma once
/// From Mach-O files to the model: symbols, stubs, DWARF of the file, of its dSYM, or of the object files it was linked
/// from. What is taken from where: docs/formats/macho.md.
#include <optional>
#include <vector>

#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// As object::translate, for a Mach-O file or the chosen slice of a universal one.
Read<void> translate_macho(const Original& original, model::ModuleSink& sink);

/// As object::needed_files, for the same.
std::vector<NeedFile> needed_files_macho(Bytes file, std::span<const Companion> companions);

/// As object::stated_image_base, for the same.
std::optional<std::uint64_t> image_base_macho(Bytes file);

}  // namespace symcached::object
