#pragma once
/// Texts as sequences of shared pieces, the writer's half. Spec: docs/formats/symcache.md, section 3.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "symcache/interner.hpp"

namespace symcached::symcache {

/// What a text is decides how it is cut. Names and files are read at every lookup and so have few, long pieces;
/// linkage names are rarely asked for and are cut small, which shares more.
enum class TextRole : std::uint8_t {
  name,     ///< scope with its `::`, and the rest
  file,     ///< folder with its last separator, and the rest
  linkage,  ///< words with up to three marks behind them, and runs of up to eight marks
};

/// Length of the first piece of `text`, which is not empty.
std::size_t piece_length(std::string_view text, TextRole role);

/// Collects texts, then numbers their pieces, the most frequent first, so that most numbers are short.
class PieceTable {
 public:
  /// @param text_id  any number the caller will use for this text in put(); small numbers. A text added again stays as
  ///                 it was first cut.
  void add(std::uint32_t text_id, std::string_view text, TextRole role);
  /// Fixes the numbering. Same texts in any order: same numbering.
  void number_pieces();

  /// Writes a text: its piece count, then the pieces' numbers, all ULEB128.
  void put(std::uint32_t text_id, ByteWriter& out) const;
  void put_tables(ByteWriter& offsets, ByteWriter& text) const;

 private:
  struct Extent {
    std::uint32_t first = 0, count = 0;  // in uses_
  };
  Interner pieces_;
  std::vector<std::uint32_t> uses_;     // piece ids of all texts, one text after the other
  std::vector<Extent> texts_;           // by text_id
  std::vector<std::uint32_t> counts_;   // by piece id
  std::vector<std::uint32_t> numbers_;  // by piece id: the number in the file
  std::vector<std::uint32_t> order_;    // by number: the piece id
};

}  // namespace symcached::symcache
