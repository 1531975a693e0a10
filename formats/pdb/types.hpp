#pragma once
/// Names of types and items in the TPI and IPI streams, found by number. Spec: docs/formats/pdb.md, section 7.
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "formats/pdb/codeview.hpp"
#include "formats/pdb/msf.hpp"

namespace symcached::pdb {

/// Records of one stream, addressed by TypeIndex.
class TypeStream {
 public:
  TypeStream() = default;
  TypeStream(TypeStream&&) = default;
  TypeStream& operator=(TypeStream&&) = default;

  /// An absent or empty stream is an empty table.
  /// Cost: reads the stream's own sampled index (one entry per 8 KiB of records), or all record heads without one.
  static Read<TypeStream> open(const Msf& msf, StreamIndex index);

  std::uint32_t first() const { return first_; }
  std::uint32_t count() const { return end_ - first_; }

  struct Record {
    Leaf leaf{};
    Bytes data;  ///< without the head
  };
  /// Cost: a walk over the records since the nearest sampled one, at most about 8 KiB.
  Read<Record> at(TypeIndex index) const;

 private:
  struct Sample {
    std::uint32_t index, offset;
  };
  Read<void> read_samples(const Msf& msf, StreamIndex hash_stream, std::uint32_t offset, std::uint32_t bytes);
  Read<void> take_samples();

  std::vector<std::byte> owned_;
  Bytes records_;
  std::uint32_t first_ = 0, end_ = 0;
  std::vector<Sample> samples_;  // sorted by both
};

/// Name of the function an inlinee id of the IPI stream stands for: scope or class, `::`, name. Appends to `out`;
/// nothing where the id is no function or a part cannot be found.
Read<void> append_inlinee_name(const TypeStream& items, const TypeStream& types, TypeIndex id, std::string& out);

}  // namespace symcached::pdb
