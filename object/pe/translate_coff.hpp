#pragma once
/// From COFF object files (.obj, .o) to the model. Their code has no addresses yet, so the sections with code are
/// placed one after another, the first at RVA 0. How: docs/formats/pe.md, "Object files".
#include <span>
#include <vector>

#include "formats/pe/coff_object.hpp"
#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// Where each section with code is placed.
std::vector<model::CodeSection> code_sections_of(const pe::CoffObject& object);

/// As object::translate; an object in which nothing names any code is refused, too.
Read<void> translate_coff(const Original& original, model::ModuleSink& sink);

/// As object::needed_files, for a COFF object file.
std::vector<NeedFile> needed_files_coff(Bytes file, std::span<const Companion> companions);

}  // namespace symcached::object
