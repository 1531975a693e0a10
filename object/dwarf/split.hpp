#pragma once
/// Which further files the skeleton units of split DWARF name. DWARF 5, section 7.3; docs/formats/dwarf-split.md.
#include <span>
#include <vector>

#include "formats/dwarf/sections.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// The sections that split_units() reads.
inline constexpr Bytes dwarf::Sections::* kNamingSections[] = {
    &dwarf::Sections::info,     &dwarf::Sections::abbrev,      &dwarf::Sections::str,
    &dwarf::Sections::line_str, &dwarf::Sections::str_offsets, &dwarf::Sections::addr};
/// The sections that may_have_split_units() reads.
inline constexpr Bytes dwarf::Sections::* kTellingSections[] = {&dwarf::Sections::info, &dwarf::Sections::addr};

/// False if no unit is a skeleton. Cost: looks at the headers of units; nothing where there is no .debug_addr, which
/// the code of split units cannot do without.
bool may_have_split_units(const dwarf::Sections& sections);

/// The .dwo files that skeleton units name, each id once, in the order of the units.
/// Cost: reads the root of every skeleton, and before DWARF 5, where headers do not tell, of every unit.
std::vector<NeedFile> split_units(const dwarf::Sections& sections);

/// Appends what of split_units() the companions do not hold, and before it the package that may hold it all.
void add_split_needs(const dwarf::Sections& sections, std::span<const Companion> companions,
                     std::vector<NeedFile>& needed);

}  // namespace symcached::object
