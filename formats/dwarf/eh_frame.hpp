#pragma once
/// Which code .eh_frame has unwind rules for. Spec: Linux Standard Base, "Exception Frames".
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::dwarf {

struct EhFrame {
  Bytes data;
  std::uint64_t address = 0;      ///< at which the section is loaded
  std::uint8_t address_size = 8;  ///< 4 or 8
  bool big_endian = false;
};

/// What one FDE covers: mostly a function, or one piece of it.
struct FrameExtent {
  std::uint64_t start = 0;  ///< as stated in the file
  std::uint64_t size = 0;   ///< bytes; at least 1
  bool operator==(const FrameExtent&) const = default;
};

/// All of them in the order of the table, up to the first that cannot be read. Those whose place is told in a way that
/// only a running program can follow are left out. Cost: one pass.
std::vector<FrameExtent> frame_extents(const EhFrame& table);

}  // namespace symcached::dwarf
