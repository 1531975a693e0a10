#include "formats/pdb/types.hpp"

#include <algorithm>
#include <optional>

namespace symcached::pdb {
namespace {

constexpr std::uint32_t kTypesV80 = 20040203;
constexpr std::uint32_t kMaxTypes = 0x10000000;

struct TypesHeader {
  u32le version;
  u32le header_bytes;
  u32le first, end;  ///< indices: [first, end)
  u32le record_bytes;
  u16le hash_stream, hash_aux_stream;
  u32le hash_key_bytes, bucket_count;
  u32le hash_values_offset, hash_values_bytes;
  u32le samples_offset, samples_bytes;
  u32le adjustments_offset, adjustments_bytes;
};
static_assert(sizeof(TypesHeader) == 56);

struct SampleEntry {
  u32le index, offset;
};

/// Skips a number of LF_ form: small ones are themselves, larger ones follow a leaf that tells their size.
Read<void> skip_number(ByteReader& in) {
  SC_TRY(const std::uint16_t leaf, in.read<u16le>("pdb.type.number"));
  if (leaf < 0x8000) return {};
  switch (leaf) {
    case 0x8000: return in.skip(1, "pdb.type.number");
    case 0x8001:
    case 0x8002: return in.skip(2, "pdb.type.number");
    case 0x8003:
    case 0x8004: return in.skip(4, "pdb.type.number");
    case 0x8009:
    case 0x800a: return in.skip(8, "pdb.type.number");
    default: return bad_value("pdb.type.number", in.position(), leaf);
  }
}

/// Name of a class, structure, union or enum; empty for any other type or none.
Read<std::string_view> type_name(const TypeStream& types, TypeIndex index, std::vector<std::byte>& scratch) {
  if (!types.has(index)) return std::string_view{};
  SC_TRY(const auto record, types.at(index, scratch));
  ByteReader in(record.data);
  switch (record.leaf) {
    case Leaf::class_:
    case Leaf::structure:
    case Leaf::interface:
      if (auto ok = in.skip(16, "pdb.type.class"); !ok) return std::unexpected(ok.error());
      break;
    case Leaf::union_:
      if (auto ok = in.skip(8, "pdb.type.union"); !ok) return std::unexpected(ok.error());
      break;
    case Leaf::enum_:
      if (auto ok = in.skip(12, "pdb.type.enum"); !ok) return std::unexpected(ok.error());
      return in.c_string("pdb.type.enum.name");
    default: return std::string_view{};
  }
  if (auto ok = skip_number(in); !ok) return std::unexpected(ok.error());
  return in.c_string("pdb.type.name");
}

/// Text of an LF_STRING_ID; empty for any other item or none.
Read<std::string_view> string_item(const TypeStream& items, TypeIndex index, std::vector<std::byte>& scratch) {
  if (!items.has(index)) return std::string_view{};
  SC_TRY(const auto record, items.at(index, scratch));
  if (record.leaf != Leaf::string_id) return std::string_view{};
  ByteReader in(record.data);
  if (auto ok = in.skip(4, "pdb.item.string"); !ok) return std::unexpected(ok.error());
  return in.c_string("pdb.item.string");
}

}  // namespace

Read<TypeStream> TypeStream::open(const Msf& msf, StreamIndex index) {
  TypeStream stream;
  if (!msf.has_stream(index) || msf.stream_size(index) == 0) return stream;
  std::vector<std::byte> scratch;
  SC_TRY(const Bytes start, msf.stream(index, scratch, "pdb.types", sizeof(TypesHeader)));
  SC_TRY(const auto header, read_at<TypesHeader>(start, 0, "pdb.types.header"));
  if (header.version != kTypesV80) return bad_value("pdb.types.version", 0, header.version, kTypesV80);
  if (header.end < header.first || header.end - header.first > kMaxTypes)
    return bad_value("pdb.types.end", 12, header.end, header.first);
  const std::uint32_t size = msf.stream_size(index);
  if (header.header_bytes > size || header.record_bytes > size - header.header_bytes)
    return truncated("pdb.types.record_bytes", 16, header.record_bytes, size);
  if (header.end - header.first > header.record_bytes / sizeof(RecordHead))
    return bad_value("pdb.types.end", 12, header.end, header.first);
  stream.msf_ = &msf;
  stream.stream_ = index;
  stream.records_at_ = header.header_bytes;
  stream.record_bytes_ = header.record_bytes;
  stream.first_ = header.first;
  stream.end_ = header.end;
  if (auto ok = stream.read_samples(msf, header.hash_stream, header.samples_offset, header.samples_bytes); !ok)
    return std::unexpected(ok.error());
  return stream;
}

Read<void> TypeStream::read_samples(const Msf& msf, StreamIndex hash_stream, std::uint32_t offset,
                                    std::uint32_t bytes) {
  if (!msf.has_stream(hash_stream) || bytes < sizeof(SampleEntry)) return take_samples();
  std::vector<std::byte> scratch;
  SC_TRY(const Bytes data, msf.stream(hash_stream, scratch, "pdb.types.hash"));
  SC_TRY(const Bytes table, slice(data, offset, bytes, "pdb.types.samples"));
  SC_TRY(const auto entries, ByteReader(table).array<SampleEntry>(bytes / sizeof(SampleEntry), "pdb.types.samples"));
  samples_.reserve(entries.size());
  bool sound = entries[0].index == first_ && entries[0].offset == 0;
  for (const SampleEntry& e : entries) {
    const Sample sample{e.index, e.offset};
    sound = sound && (samples_.empty() || rises(samples_.back(), sample));
    samples_.push_back(sample);
  }
  if (sound && rises(samples_.back(), {end_, record_bytes_})) return {};
  samples_.clear();
  return take_samples();
}

Read<void> TypeStream::take_samples() {
  constexpr std::uint32_t kEvery = 64;
  std::vector<std::byte> scratch;
  SC_TRY(const Bytes records, msf_->range(stream_, records_at_, record_bytes_, scratch, "pdb.types.records"));
  ByteReader in(records);
  for (std::uint32_t index = first_; index < end_; ++index) {
    if ((index - first_) % kEvery == 0) samples_.push_back({index, static_cast<std::uint32_t>(in.position())});
    SC_TRY(const std::uint16_t length, in.read<u16le>("pdb.type.length"));
    if (auto ok = in.skip(length, "pdb.type.length"); !ok) return ok;
  }
  return {};
}

Read<TypeStream::Record> TypeStream::at(TypeIndex index, std::vector<std::byte>& scratch) const {
  if (!has(index)) return bad_value("pdb.type.index", 0, index, first_);
  const auto after = std::ranges::upper_bound(samples_, index, {}, &Sample::index);
  if (after == samples_.begin()) return bad_value("pdb.type.index", 0, index, first_);
  const Sample& sample = *std::prev(after);
  const std::uint32_t end = after == samples_.end() ? record_bytes_ : after->offset;
  SC_TRY(const Bytes part, msf_->range(stream_, records_at_ + sample.offset, end - sample.offset, scratch, "pdb.type"));
  ByteReader in(part, sample.offset);
  for (std::uint32_t i = sample.index; i < index; ++i) {
    SC_TRY(const std::uint16_t length, in.read<u16le>("pdb.type.length"));
    if (auto ok = in.skip(length, "pdb.type.length"); !ok) return std::unexpected(ok.error());
  }
  SC_TRY(const auto head, in.read<RecordHead>("pdb.type.head"));
  if (head.length < 2) return bad_value("pdb.type.length", in.position(), head.length, 2);
  SC_TRY(const Bytes data, in.take(head.length - 2u, "pdb.type.length"));
  return Record{static_cast<Leaf>(std::uint16_t{head.kind}), data};
}

Read<void> append_inlinee_name(const TypeStream& items, const TypeStream& types, TypeIndex id, TypeScratch& scratch,
                               std::string& out) {
  if (!items.has(id)) return {};
  SC_TRY(const auto record, items.at(id, scratch.item));
  if (record.leaf != Leaf::func_id && record.leaf != Leaf::mfunc_id) return {};
  ByteReader in(record.data);
  SC_TRY(const auto function, in.read<FuncIdLeaf>("pdb.item.function"));
  SC_TRY(const auto name, in.c_string("pdb.item.function.name"));
  if (function.scope != 0) {
    auto scope = record.leaf == Leaf::mfunc_id ? type_name(types, function.scope, scratch.scope)
                                               : string_item(items, function.scope, scratch.scope);
    if (!scope) return std::unexpected(scope.error());
    if (!scope->empty()) out.append(*scope).append("::");
  }
  out.append(name);
  return {};
}

}  // namespace symcached::pdb
