#pragma once
/// .debug_aranges: which unit has code where. DWARF 5, section 6.1.2.
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::dwarf {

/// Half-open, addresses as the file states them.
struct CodeOfUnit {
  std::uint64_t low = 0, high = 0;
  std::uint64_t unit = 0;  ///< offset of its header in .debug_info
};

struct Aranges {
  std::vector<CodeOfUnit> ranges;    ///< in the section's order; empty ones are left out
  std::vector<std::uint64_t> units;  ///< that have a set, rising, each once
};

/// Sets of other versions than 2, or with segments, are left out. The section may be incomplete: many compilers write
/// none.
/// @return a failure if a set does not fit into the section: nothing behind it can be found
/// Cost: 24 bytes of memory for each range, which has at least 4 in the section.
Read<Aranges> read_aranges(Bytes section, bool big_endian);

}  // namespace symcached::dwarf
