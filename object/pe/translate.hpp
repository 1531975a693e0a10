#pragma once
/// From PE images to the model: DWARF (MinGW, clang), the COFF symbol table, and exports where there is neither.
/// How they are read: docs/formats/pe.md. PDBs that an image names are files of their own: from_pdb.hpp.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// As object::needed_files: what `.gnu_debuglink` names, if the image has no DWARF of its own.
std::vector<NeedFile> needed_files_pe(Bytes file, std::span<const Companion> companions);

/// As object::translate; an image in which nothing names any code is refused, too.
Read<void> translate_pe(const Original& original, model::ModuleSink& sink);

/// As object::stated_image_base: where the image would like to be loaded.
std::optional<std::uint64_t> image_base_pe(Bytes file);

}  // namespace symcached::object
