#pragma once
/// From COFF object files (.obj, .o) to the model. Their code has no addresses yet, so the sections with code are
/// placed one after another, the first at RVA 0. How: docs/formats/pe.md, "Object files".
#include "object/translate.hpp"

namespace symcached::object {

/// As object::translate; an object in which nothing names any code is refused, too.
Read<void> translate_coff(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
