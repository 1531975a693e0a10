#pragma once
/// Reads the table of a universal file: several Mach-O files, one for each processor.
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "formats/macho/records.hpp"

namespace symcached::macho {

struct Slice {
  Cpu cpu{};
  std::uint32_t cpu_subtype = 0;
  std::uint64_t offset = 0;
  Bytes file;  ///< a Mach-O file or a static library; lives as long as the whole
};

/// More than there are processors; a Java class, which has the same magic, states 45 or more.
inline constexpr std::uint32_t kMaxSlices = 44;

/// Whether a file starts as a universal file does. Cost: 8 bytes are looked at.
bool is_fat(Bytes file);

/// The slices in the order of the file. Each lies inside it, behind the table, and none overlaps another.
Read<std::vector<Slice>> read_fat(Bytes file);

}  // namespace symcached::macho
