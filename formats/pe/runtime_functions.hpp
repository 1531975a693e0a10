#pragma once
/// The exception directory (.pdata): where functions begin and end, known even of those that have no name.
#include <cstdint>
#include <vector>

#include "formats/pe/reader.hpp"

namespace symcached::pe {

/// A piece of code in one run.
struct CodeExtent {
  std::uint32_t start = 0;     ///< RVA
  std::uint32_t end = 0;       ///< RVA, above start
  std::uint32_t function = 0;  ///< RVA of the function it is a part of; start itself for the function's first piece

  bool operator==(const CodeExtent&) const = default;
};

/// Sorted by start, one per start; pieces of a function that follow each other made one. On x64 chained unwind
/// information says what a piece is a part of; ARM and ARM64 do not say it. Entries that cannot be right are left out.
/// @return empty for images without the directory and for other machines
Read<std::vector<CodeExtent>> read_code_extents(const Image& image);

}  // namespace symcached::pe
