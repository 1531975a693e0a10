#pragma once
/// The functions of one module, by address.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/naming/frame_ranges.hpp"

namespace symcached::pprof {

/// Code that has one name. Stated addresses.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t name = 0;  ///< offset among the names; kNoName: a function whose name is not known

  static constexpr std::uint32_t kNoName = 0xFFFFFFFF;
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// A symbol that names code.
struct CodeSymbol {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;   ///< == begin: no size is stated
  std::uint64_t most = 0;  ///< without a size: where it ends at the latest
  std::uint32_t name = 0;  ///< offset among the names
  bool is_function = true, is_local = false;
};

/// Lays out ranges that do not overlap: where symbols do, the one that begins last counts, then the one that ends
/// first; of several for the same code the one that people know it by. A symbol without a size reaches to the next
/// symbol or the end of its frame. Frames fill what no symbol covers.
/// @param names  NUL-terminated, wherever a symbol says
/// @return       by address
/// Cost: sorts; about 0.3 s for a million symbols.
std::vector<CodeRange> lay_out(std::vector<CodeSymbol> symbols, std::vector<FrameRange> frames, std::string_view names);

/// The range that covers a stated address; null if there is none.
const CodeRange* find_range(std::span<const CodeRange> ranges, std::uint64_t address);

/// The name at an offset, without the version that linkers put behind '@'.
std::string_view plain_name(std::string_view names, std::uint32_t offset);

}  // namespace symcached::pprof
