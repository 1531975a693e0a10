#pragma once
/// Reads BCSymbolMap files: the names that a bitcode build hid, one a line.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::macho {

inline constexpr std::string_view kSymbolMapMagic = "BCSymbolMap Version:";

/// Lines do not make a text longer than this many bytes: without a bound a few lines could be repeated at will.
inline constexpr std::size_t kMaxRevealed = 1u << 16;

/// A program has some 100,000 names.
inline constexpr std::size_t kMaxMapLines = 1u << 24;

/// Views into bytes it does not own.
class SymbolMap {
 public:
  /// Versions 1.0 and 2.0, of at most kMaxMapLines. Cost: two passes, 16 bytes of memory a line.
  static Read<SymbolMap> open(Bytes file);

  /// `text` with each `__hidden#12_` made line 12 of the map, counted from 0 behind the heading. A line that is a path
  /// from the root replaces what stands before it, too. Hidden names without a line stay.
  std::string revealed(std::string_view text) const;
  /// A name of the symbol table, without the underscore in front of C names: "___hidden#12_" and "__hidden#12_" are
  /// line 12, "_main" is "main".
  std::string_view symbol_name(std::string_view name) const;

  std::size_t size() const { return lines_.size(); }
  std::string_view line(std::size_t index) const { return lines_[index]; }

 private:
  std::vector<std::string_view> lines_;
};

/// True if `text` has a hidden name in it.
bool is_hidden(std::string_view text);

/// A name of the symbol table as people write it: one underscore in front is the linker's and is taken off.
inline std::string_view without_underscore(std::string_view name) {
  return name.starts_with('_') ? name.substr(1) : name;
}

}  // namespace symcached::macho
