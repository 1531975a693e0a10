#pragma once
/// Texts as sequences of shared tokens, the writer's half. Spec: docs/formats/symcache.md, section 3.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "symcache/interner.hpp"

namespace symcached::symcache {

/// Length of the first token of `text`: a word with up to three marks behind it, or a run of up to eight marks.
std::size_t token_length(std::string_view text);

/// Collects texts, then numbers their tokens, the most frequent first, so that most take one or two bytes.
class TokenTable {
 public:
  /// @param text_id  any number the caller will use for this text in put(); small numbers, each once
  void add(std::uint32_t text_id, std::string_view text);
  /// Fixes the numbering. Same texts in any order: same numbering.
  void number_tokens();

  /// Writes a text: its token count, then the tokens' numbers, all ULEB128.
  void put(std::uint32_t text_id, ByteWriter& out) const;
  void put_tables(ByteWriter& offsets, ByteWriter& text) const;

 private:
  struct Extent {
    std::uint32_t first = 0, count = 0;  // in uses_
  };
  Interner tokens_;
  std::vector<std::uint32_t> uses_;     // token ids of all texts, one text after the other
  std::vector<Extent> texts_;           // by text_id
  std::vector<std::uint32_t> counts_;   // by token id
  std::vector<std::uint32_t> numbers_;  // by token id: the number in the file
  std::vector<std::uint32_t> order_;    // by number: the token id
};

}  // namespace symcached::symcache
