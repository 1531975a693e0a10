#pragma once
/// From DWARF to the model, for every container that carries it. What records mean for frames: docs/formats/dwarf.md.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/inflate_stream.hpp"
#include "formats/dwarf/sections.hpp"
#include "model/module.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

struct DwarfInput {
  dwarf::Sections sections;
  /// Given instead of sections.info: units are inflated as they are read. Only for a section whose entries name no
  /// entries of other units.
  std::optional<Compressed> compressed_info = {};
  const dwarf::Sections* supplementary = nullptr;  ///< what dwz moved out
  std::span<const dwarf::Sections> split;          ///< .dwo files and packages, in any order
  std::uint64_t image_base = 0;                    ///< stated address of Rva 0
  std::span<const CodeRange> code;                 ///< executable sections; code elsewhere was dropped by the linker
  const CodeSymbols* symbols = nullptr;            ///< null = none
  unsigned threads = 1;
  std::function<void()> release = {};  ///< called now and then: pages of a mapped file may go
};

/// Sorted, and those that overlap or touch made one: each function asks whether it is code.
std::vector<CodeRange> merged(std::span<const CodeRange> ranges);

/// Hands every function with code to `sink`, then what only the symbol table knows.
/// @return the first thing that cannot be right; the sink is then half filled and of no use
/// Cost: one pass over .debug_info and .debug_line; memory for the largest unit.
Read<void> translate_dwarf(const DwarfInput& input, model::ModuleSink& sink);

}  // namespace symcached::object
