#pragma once
/// What a linked image's stabs say of where its code came from: Apple's linker leaves DWARF in the object files and
/// writes down which they were and where their functions went.
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/macho/reader.hpp"

namespace symcached::macho {

struct MappedFunction {
  std::string_view name;  ///< as the symbol tables of image and object have it
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< bytes; 0 = not stated
};

/// One N_OSO with the functions that follow it.
struct MappedObject {
  std::string_view path;            ///< as recorded; "lib.a(x.o)" for a member of a library
  std::uint64_t modified = 0;       ///< seconds since 1970; 0 = not stated
  std::string_view folder, source;  ///< N_SO: the source file of the compilation, maybe in two parts
  std::uint32_t first_function = 0, function_count = 0;
};

struct DebugMap {
  std::vector<MappedObject> objects;      ///< in the file's order
  std::vector<MappedFunction> functions;  ///< those of one object follow each other
  std::span<const MappedFunction> of(const MappedObject& object) const {
    return std::span(functions).subspan(object.first_function, object.function_count);
  }
};

/// Cost: one pass over the symbols. Empty for images without stabs and for dSYMs.
DebugMap read_debug_map(const Symbols& symbols);

}  // namespace symcached::macho
