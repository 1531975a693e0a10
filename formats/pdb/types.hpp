#pragma once
/// Names of types and items in the TPI and IPI streams, found by number. Spec: docs/formats/pdb.md, section 7.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  /// Cost: the first time that a record between two sampled ones is asked for, a walk over all of these, usually 8 KiB
  /// and never above kMaxGap; then a few reads.
  Read<Record> at(TypeIndex index, std::vector<std::byte>& scratch);

  /// Types that may be what is defined by this name: all whose hash is that of the name, and a few more. None in a
  /// stream without hashes. Cost: the first time, a pass over all hashes.
  std::span<const TypeIndex> may_define(std::string_view name);

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
  Read<void> locate_around(TypeIndex index, std::vector<std::byte>& scratch);
  void sort_by_hash();

  const Msf* msf_ = nullptr;
  StreamIndex stream_ = kNoStream;
  std::uint32_t records_at_ = 0, record_bytes_ = 0;  // in the stream
  std::uint32_t first_ = 0, end_ = 0;
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  std::vector<Sample> samples_;        // sorted by both
  std::vector<std::uint32_t> places_;  // of records, from records_at_; kUnknown: not asked for yet. Empty: none was
  StreamIndex hash_stream_ = kNoStream;
  std::uint32_t hashes_at_ = 0, hashes_bytes_ = 0, hash_limit_ = 0;  // in the hash stream
  bool is_sorted_by_hash_ = false;
  std::uint32_t bucket_count_ = 0;
  std::vector<std::uint32_t> bucket_starts_;  // in by_hash_
  std::vector<TypeIndex> by_hash_;
};

/// A class, structure, interface, union or enum. Names live as the record does.
struct NamedType {
  std::string_view name;
  std::string_view unique_name;  ///< decorated; empty = none
  std::uint64_t size = 0;        ///< bytes; 0 of a declaration, and of an enum, whose size is that of `underlying`
  TypeIndex underlying = 0;
  bool is_declaration = false;  ///< the definition is another record
};
Read<std::optional<NamedType>> read_named_type(const TypeStream::Record& record);

/// A number of LF_ form: small ones are themselves, larger ones follow a leaf that tells their size. Negative ones
/// wrap.
Read<std::uint64_t> read_number(ByteReader& in);

/// Memory for names that do not lie in one piece.
struct TypeScratch {
  std::vector<std::byte> item, scope;
};

/// Name of the function an inlinee id of the IPI stream stands for: scope or class, `::`, name. Appends to `out`;
/// nothing where the id is no function or a part cannot be found.
/// @return the function's type; 0 = none
Read<TypeIndex> append_inlinee_name(TypeStream& items, TypeStream& types, TypeIndex id, TypeScratch& scratch,
                                    std::string& out);

}  // namespace symcached::pdb
