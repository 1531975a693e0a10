#pragma once
/// From the object files that a linked Mach-O image names in its stabs: their DWARF, moved to where the linker put the
/// functions.
#include <vector>

#include "formats/macho/debug_map.hpp"
#include "object/dwarf/translate.hpp"
#include "object/macho/files.hpp"

namespace symcached::object {

struct DebugMapInput {
  const macho::File& image;
  const macho::DebugMap& map;
  const macho::SymbolMap* hidden = nullptr;  ///< null = none
  ObjectFiles& objects;
  const Original& original;
};

/// Hands to `sink` what the objects at hand know of functions that the map places; object files that are missing or
/// are not what was linked are left out.
/// @return what now has functions, as addresses of the image, sorted by start; or the first thing in an object that
///         cannot be right
/// Cost: as of translate_dwarf for each object; as many objects at a time as `original.threads` says.
Read<std::vector<CodeRange>> translate_debug_map(const DebugMapInput& input, model::ModuleSink& sink);

}  // namespace symcached::object
