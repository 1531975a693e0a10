#pragma once
/// From PE images to the model: DWARF (MinGW, clang), the COFF symbol table, and exports where there is neither.
/// How they are read: docs/formats/pe.md. PDBs that an image names are files of their own: from_pdb.hpp.
#include <span>
#include <vector>

#include "object/translate.hpp"

namespace symcached::object {

/// The file that `.gnu_debuglink` names, if the image has no DWARF of its own and the companions do not have it.
std::vector<NeedFile> files_needed_by_pe(Bytes file, std::span<const Companion> companions);

/// @return an error also for an image in which nothing names any code
Read<void> translate_pe(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
