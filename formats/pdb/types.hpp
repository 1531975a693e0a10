#pragma once
/// Names of types and items in the TPI and IPI streams, found by number. Spec: docs/formats/pdb.md, section 7.
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "formats/pdb/codeview.hpp"
#include "formats/pdb/msf.hpp"

namespace symcached::pdb {

/// Records of one stream, addressed by TypeIndex. Of a large stream only the parts asked for are ever touched.
class TypeStream {
 public:
  TypeStream() = default;

  /// An absent or empty stream is an empty table. `msf` must outlive it.
  /// Cost: reads the stream's own sampled index (one entry per 8 KiB of records), or all record heads without one.
  static Read<TypeStream> open(const Msf& msf, StreamIndex index);

  std::uint32_t first() const { return first_; }
  std::uint32_t count() const { return end_ - first_; }
  std::uint64_t record_bytes() const { return record_bytes_; }
  bool has(TypeIndex index) const { return index >= first_ && index < end_; }

  struct Record {
    Leaf leaf{};
    Bytes data;  ///< without the head; lives as long as the input and the scratch given
  };
  /// Cost: a walk over the records since the nearest sampled one, usually 8 KiB at most, never above kMaxGap.
  Read<Record> at(TypeIndex index, std::vector<std::byte>& scratch) const;

 private:
  struct Sample {
    std::uint32_t index, offset;
  };
  static constexpr std::uint32_t kMaxGap = 0x14000;  ///< bytes: 8 KiB and the longest record
  bool rises(const Sample& before, const Sample& next) const {
    return next.index > before.index && next.offset > before.offset && next.offset - before.offset <= kMaxGap;
  }
  Read<void> read_samples(const Msf& msf, StreamIndex hash_stream, std::uint32_t offset, std::uint32_t bytes);
  Read<void> take_samples();

  const Msf* msf_ = nullptr;
  StreamIndex stream_ = kNoStream;
  std::uint32_t records_at_ = 0, record_bytes_ = 0;  // in the stream
  std::uint32_t first_ = 0, end_ = 0;
  std::vector<Sample> samples_;  // sorted by both
};

/// Memory for names that do not lie in one piece.
struct TypeScratch {
  std::vector<std::byte> item, scope;
};

/// Name of the function an inlinee id of the IPI stream stands for: scope or class, `::`, name. Appends to `out`;
/// nothing where the id is no function or a part cannot be found.
Read<void> append_inlinee_name(const TypeStream& items, const TypeStream& types, TypeIndex id, TypeScratch& scratch,
                               std::string& out);

}  // namespace symcached::pdb
