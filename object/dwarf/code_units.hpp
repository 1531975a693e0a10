#pragma once
/// Which units have code at an address, by what they say of themselves: for questions about few addresses of a large
/// file. docs/formats/dwarf.md, "One address".
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/dwarf/aranges.hpp"
#include "object/dwarf/files.hpp"

namespace symcached::object {

class CodeUnits {
 public:
  /// Units are asked in .debug_aranges, and those that have no set there by the ranges of their root entries; of a
  /// section that is still compressed, .debug_aranges alone.
  /// @param aranges  plain; empty = none
  static Read<CodeUnits> open(const DwarfInput& input, const DwarfFiles& files, Bytes aranges);

  bool empty() const { return ranges_.empty(); }

  /// Offsets of units in .debug_info, rising; empty: none says so, which does not mean that there is none.
  /// Cost: one pass over all ranges, a nanosecond each.
  std::vector<std::uint64_t> at(std::uint64_t address) const;

 private:
  std::vector<dwarf::CodeOfUnit> ranges_;
};

/// The same as translate_dwarf() for some units alone; symbols are left to the caller.
/// @param input    with code ranges merged()
/// @param offsets  of units, rising; one that is none is an error
/// @return code that has functions now, in the order of emission
/// Cost: of a section that is still compressed, inflating it up to the last of them.
Read<std::vector<CodeRange>> translate_units(const DwarfInput& input, const DwarfFiles& files,
                                             std::span<const std::uint64_t> offsets, model::ModuleSink& sink);

}  // namespace symcached::object
