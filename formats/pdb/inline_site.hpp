#pragma once
/// The annotation program of an inline site: which bytes the inlined call holds, and at which line.
/// Spec: docs/formats/pdb.md, section 6 (Microsoft's reading; LLVM's differs).
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::pdb {

inline constexpr std::uint32_t kFileOfInlinee = 0xFFFFFFFF;

/// Bytes of one inlined call with one line.
struct InlineRange {
  std::uint32_t start = 0;              ///< bytes from the function's start
  std::uint32_t end = 0;                ///< exclusive
  std::int32_t line_delta = 0;          ///< from the line of the inlinee's DEBUG_S_INLINEELINES entry
  std::uint32_t file = kFileOfInlinee;  ///< offset in the module's file checksums
  std::uint32_t column = 0;             ///< 1-based; 0 = unknown
};

/// Runs the program and appends its ranges to `out`, sorted by start and without overlaps.
/// @param function_size  a last range without a length ends there
Read<void> read_inline_ranges(Bytes annotations, std::uint32_t function_size, std::vector<InlineRange>& out);

}  // namespace symcached::pdb
