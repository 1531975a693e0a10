#pragma once
/// Applies an object file's relocations to a copy of a section, as a linker would.
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/pe/coff_object.hpp"

namespace symcached::pe {

/// Where the linker would place each section; what relocations put into a section follows from it.
struct SectionPlace {
  std::uint64_t address = 0;  ///< 0 = nowhere: what refers to it becomes 0
};

/// Fills the places in `data`, a copy of the bytes of `section`, that relocations name.
/// @param places      one for each section of the object
/// @param image_base  taken off by relocations that want an RVA
/// @return an error for a relocation outside the data, of a symbol that is not there, or of a type that debug sections
///         have no use for
Read<void> relocate(const CoffObject& object, const SectionHeader& section, std::span<const SectionPlace> places,
                    std::uint64_t image_base, std::span<std::byte> data);

}  // namespace symcached::pe
