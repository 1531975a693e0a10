#include "formats/pdb/types.hpp"

#include <algorithm>
#include <type_traits>

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

/// Name of a class, structure, union or enum; empty for any other type or none.
Read<std::string_view> type_name(TypeStream& types, TypeIndex index, std::vector<std::byte>& scratch) {
  if (!types.has(index)) return std::string_view{};
  SC_TRY(const auto record, types.at(index, scratch));
  SC_TRY(const auto type, read_named_type(record));
  return type ? type->name : std::string_view{};
}

/// As the linker hashes the names of definitions.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bytes; ++i) word |= std::uint32_t{static_cast<std::uint8_t>(name[at++])} << 8 * i;
    hash ^= word;
  };
  while (name.size() - at >= 4) take(4);
  if (name.size() - at >= 2) take(2);
  if (name.size() - at >= 1) take(1);
  hash |= 0x20202020;  // case does not count
  hash ^= hash >> 11;
  return hash ^ hash >> 16;
}

/// Text of an LF_STRING_ID; empty for any other item or none.
Read<std::string_view> string_item(TypeStream& items, TypeIndex index, std::vector<std::byte>& scratch) {
  if (!items.has(index)) return std::string_view{};
  SC_TRY(const auto record, items.at(index, scratch));
  if (record.leaf != Leaf::string_id) return std::string_view{};
  ByteReader in(record.data);
  if (auto ok = in.skip(4, "pdb.item.string"); !ok) return std::unexpected(ok.error());
  return in.c_string("pdb.item.string");
}

}  // namespace

Read<std::uint64_t> read_number(ByteReader& in) {
  SC_TRY(const std::uint16_t leaf, in.read<u16le>("pdb.type.number"));
  if (leaf < 0x8000) return leaf;
  const auto number = [&]<class T>(std::type_identity<T>) -> Read<std::uint64_t> {
    SC_TRY(const T value, in.read<T>("pdb.type.number"));
    return static_cast<std::uint64_t>(value);
  };
  switch (leaf) {
    case 0x8000: return number(std::type_identity<u8le>());
    case 0x8001:
    case 0x8002: return number(std::type_identity<u16le>());
    case 0x8003:
    case 0x8004: return number(std::type_identity<u32le>());
    case 0x8009:
    case 0x800a: return number(std::type_identity<u64le>());
    default: return bad_value("pdb.type.number", in.position(), leaf);
  }
}

Read<std::optional<NamedType>> read_named_type(const TypeStream::Record& record) {
  constexpr std::uint16_t kDeclaration = 0x80, kHasUniqueName = 0x200;
  ByteReader in(record.data);
  NamedType type;
  std::uint16_t properties = 0;
  if (const auto head = read_at<TypeProperties>(record.data, 0, "pdb.type.properties")) properties = head->properties;
  type.is_declaration = (properties & kDeclaration) != 0;
  switch (record.leaf) {
    case Leaf::class_:
    case Leaf::structure:
    case Leaf::interface:
      if (auto ok = in.skip(16, "pdb.type.class"); !ok) return std::unexpected(ok.error());
      break;
    case Leaf::union_:
      if (auto ok = in.skip(8, "pdb.type.union"); !ok) return std::unexpected(ok.error());
      break;
    case Leaf::enum_: {
      SC_TRY(const auto head, in.read<EnumLeaf>("pdb.type.enum"));
      SC_TRY(type.name, in.c_string("pdb.type.enum.name"));
      type.underlying = head.underlying;
      return type;
    }
    default: return std::nullopt;
  }
  SC_TRY(type.size, read_number(in));
  SC_TRY(type.name, in.c_string("pdb.type.name"));
  if ((properties & kHasUniqueName) != 0) type.unique_name = in.c_string("pdb.type.unique_name").value_or("");
  return type;
}

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
  stream.hash_stream_ = header.hash_stream;
  stream.hashes_at_ = header.hash_values_offset;
  stream.hashes_bytes_ = header.hash_values_bytes;
  stream.hash_limit_ = header.bucket_count;
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

/// Notes where the records of the part that holds `index` begin.
Read<void> TypeStream::locate_around(TypeIndex index, std::vector<std::byte>& scratch) {
  if (places_.empty()) places_.assign(count(), kUnknown);
  const auto after = std::ranges::upper_bound(samples_, index, {}, &Sample::index);
  if (after == samples_.begin()) return bad_value("pdb.type.index", 0, index, first_);
  const Sample& sample = *std::prev(after);
  const std::uint32_t end = after == samples_.end() ? end_ : after->index;
  const std::uint32_t end_place = after == samples_.end() ? record_bytes_ : after->offset;
  SC_TRY(const Bytes part,
         msf_->range(stream_, records_at_ + sample.offset, end_place - sample.offset, scratch, "pdb.type"));
  ByteReader in(part, sample.offset);
  for (std::uint32_t i = sample.index; i < end; ++i) {
    places_[i - first_] = sample.offset + static_cast<std::uint32_t>(in.position());
    SC_TRY(const std::uint16_t length, in.read<u16le>("pdb.type.length"));
    if (auto ok = in.skip(length, "pdb.type.length"); !ok) return ok;
  }
  return {};
}

Read<TypeStream::Record> TypeStream::at(TypeIndex index, std::vector<std::byte>& scratch) {
  if (!has(index)) return bad_value("pdb.type.index", 0, index, first_);
  if (places_.empty() || places_[index - first_] == kUnknown)
    if (auto ok = locate_around(index, scratch); !ok && places_[index - first_] == kUnknown)
      return std::unexpected(ok.error());
  const std::uint32_t place = places_[index - first_];
  SC_TRY(const Bytes start, msf_->range(stream_, records_at_ + place, sizeof(RecordHead), scratch, "pdb.type.head"));
  SC_TRY(const auto head, read_at<RecordHead>(start, 0, "pdb.type.head"));
  if (head.length < 2) return bad_value("pdb.type.length", place, head.length, 2);
  SC_TRY(const Bytes data, msf_->range(stream_, records_at_ + place + static_cast<std::uint32_t>(sizeof head),
                                       head.length - 2u, scratch, "pdb.type.length"));
  return Record{static_cast<Leaf>(std::uint16_t{head.kind}), data};
}

/// By counting, into buckets of a few types.
void TypeStream::sort_by_hash() {
  is_sorted_by_hash_ = true;
  constexpr std::uint32_t kTypesPerBucket = 8;
  if (count() == 0 || hash_limit_ == 0 || hashes_bytes_ / 4 != count() || !msf_->has_stream(hash_stream_)) return;
  std::vector<std::byte> scratch;
  const auto data = msf_->range(hash_stream_, hashes_at_, hashes_bytes_, scratch, "pdb.types.hashes");
  if (!data) return;
  const auto hashes = *ByteReader(*data).array<u32le>(count(), "pdb.types.hashes");
  bucket_count_ = count() / kTypesPerBucket + 1;
  bucket_starts_.assign(bucket_count_ + 1, 0);
  for (const u32le hash : hashes) ++bucket_starts_[hash % bucket_count_ + 1];
  for (std::size_t i = 1; i < bucket_starts_.size(); ++i) bucket_starts_[i] += bucket_starts_[i - 1];
  std::vector<std::uint32_t> next(bucket_starts_);
  by_hash_.resize(count());
  for (std::uint32_t i = 0; i < count(); ++i) by_hash_[next[hashes[i] % bucket_count_]++] = first_ + i;
}

std::span<const TypeIndex> TypeStream::may_define(std::string_view name) {
  if (!is_sorted_by_hash_) sort_by_hash();
  if (by_hash_.empty()) return {};
  const std::uint32_t bucket = hash_of(name) % hash_limit_ % bucket_count_;
  return std::span(by_hash_).subspan(bucket_starts_[bucket], bucket_starts_[bucket + 1] - bucket_starts_[bucket]);
}

Read<TypeIndex> append_inlinee_name(TypeStream& items, TypeStream& types, TypeIndex id, TypeScratch& scratch,
                                    std::string& out) {
  if (!items.has(id)) return TypeIndex{0};
  SC_TRY(const auto record, items.at(id, scratch.item));
  if (record.leaf != Leaf::func_id && record.leaf != Leaf::mfunc_id) return TypeIndex{0};
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
  return TypeIndex{function.type};
}

}  // namespace symcached::pdb
