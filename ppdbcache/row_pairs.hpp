#pragma once
/// Pairs of rows, found by the first: which kick-off method belongs to a MoveNext, and the other way.
/// Spec: docs/formats/ppdbcache.md, section 5.
#include <cstdint>
#include <span>

#include "base/byte_writer.hpp"
#include "base/bytes.hpp"
#include "base/uleb_cursor.hpp"
#include "ppdbcache/format.hpp"

namespace symcached::ppdbcache {

struct RowPair {
  std::uint32_t key = 0, value = 0;
  auto operator<=>(const RowPair&) const = default;
};

/// @param pairs  by rising key, each key once
void put_pairs(std::span<const RowPair> pairs, ByteWriter& out);

/// Views a section of pairs.
class RowPairs {
 public:
  RowPairs() = default;
  static Read<RowPairs> open(Bytes section, std::uint32_t count, std::string_view field);

  /// All pairs by rising key. Ends early where the section is wrong.
  class Cursor {
   public:
    bool next(RowPair& out);
    bool failed() const { return steps_.failed(); }
    std::size_t position() const { return steps_.position(); }

   private:
    friend class RowPairs;
    explicit Cursor(const RowPairs& pairs) : pairs_(pairs), steps_(pairs.steps_, 0) {}
    const RowPairs& pairs_;
    UlebCursor steps_;
    RowPair pair_;
    std::uint32_t given_ = 0;
  };
  Cursor all() const { return Cursor(*this); }

  std::uint32_t count() const { return count_; }
  /// The value at `key`; 0 = none. Cost: a short search and up to 15 steps.
  std::uint32_t find(std::uint32_t key) const;
  /// Whether keys rise, every byte belongs to a step, and all rows are rows.
  Read<void> verify() const;

 private:
  std::span<const PairGroup> groups_;
  Bytes steps_;
  std::uint32_t count_ = 0;
  std::string_view field_;
};

}  // namespace symcached::ppdbcache
