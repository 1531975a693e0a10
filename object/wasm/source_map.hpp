#pragma once
/// Lines of a WebAssembly module that has no DWARF, from a source map. docs/formats/wasm.md, "Source maps".
#include <optional>
#include <span>
#include <vector>

#include "formats/sourcemap/reader.hpp"
#include "object/common/code_symbols.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// A map among the companions that can be read; nothing if there is none.
std::optional<sourcemap::SourceMap> source_map_of(std::span<const Companion> companions);

/// A function of the module, by its place in the file.
struct MappedFunction {
  std::uint64_t start = 0;
  std::uint32_t size = 0;  ///< bytes
  std::string_view name;   ///< empty = not known
};

/// Hands over those functions that the map has rows for. Rows count from the start of the file, as addresses do.
/// @param functions  by rising start, disjoint
/// @return           their places
std::vector<CodeRange> emit_mapped(const sourcemap::SourceMap& map, std::span<const MappedFunction> functions,
                                   model::ModuleSink& sink);

}  // namespace symcached::object
