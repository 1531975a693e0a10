#pragma once
/// The DWARF sections of a Mach-O file, ready to read: inflated, and in object files relocated.
#include <vector>

#include "base/buffer.hpp"
#include "base/inflate_limits.hpp"
#include "formats/dwarf/sections.hpp"
#include "formats/macho/reader.hpp"

namespace symcached::object {

class MachoDwarf {
 public:
  /// Cost: nothing for plain sections; packed ones and those with relocations to symbols are copied.
  static Read<MachoDwarf> open(const macho::File& file, const InflateLimits& limits = {});

  const dwarf::Sections& sections() const { return sections_; }

 private:
  Read<void> add(const macho::File& file, const macho::SectionInfo& section, InflateBudget& budget);

  dwarf::Sections sections_;
  std::vector<Buffer> owned_;  ///< what the sections view, where that is not the file
};

/// True if the file itself holds units. Cost: looks at the section headers alone.
bool has_dwarf(const macho::File& file);

}  // namespace symcached::object
