#pragma once
/// The names of code that a Mach-O file's own tables give: symbols, stabs of functions, stubs, exports, function
/// starts.
#include <deque>
#include <string>
#include <vector>

#include "formats/macho/bcsymbolmap.hpp"
#include "formats/macho/debug_map.hpp"
#include "formats/macho/reader.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

/// The sections with instructions.
std::vector<CodeRange> code_ranges_of(const macho::File& file);

/// Adds what the file names; CodeSymbols::finish is left to the caller.
/// @param map     the file's own; sizes of functions are taken from it
/// @param hidden  names that a bitcode build hid; null = none
/// @param texts   keeps names that the file does not hold in one piece; lives as long as `symbols`
/// Cost: n log n. Code that no name belongs to stays without one, and no name reaches into it.
Read<void> add_macho_symbols(const macho::File& file, const macho::DebugMap& map, const macho::SymbolMap* hidden,
                             CodeSymbols& symbols, std::deque<std::string>& texts);

/// Labels that assemblers make for themselves and only object files have: "ltmp0".
bool is_temporary(std::string_view name);

}  // namespace symcached::object
