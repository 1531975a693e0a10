#include "formats/macho/fat.hpp"

namespace symcached::macho {
namespace {

template <class Record>
Read<std::vector<Slice>> read_slices(Bytes file, std::uint32_t count) {
  ByteReader in(file.subspan(sizeof(FatHeader)), sizeof(FatHeader));
  SC_TRY(const auto records, in.array<Record>(count, "macho.fat.slices"));
  const std::uint64_t table_end = sizeof(FatHeader) + records.size_bytes();
  std::vector<Slice> slices;
  for (const Record& record : records) {
    const std::uint64_t offset = record.offset;
    const std::uint64_t at = sizeof(FatHeader) + slices.size() * sizeof(Record);
    if (offset < table_end) return bad_value("macho.fat.slice.offset", at, offset, table_end);
    SC_TRY(const auto bytes, slice(file, offset, record.size, "macho.fat.slice"));
    for (const Slice& other : slices) {
      const bool before = offset < other.offset && bytes.size() <= other.offset - offset;
      const bool behind = offset >= other.offset && other.file.size() <= offset - other.offset;
      if (!before && !behind) return bad_value("macho.fat.slice.overlap", at, offset, other.offset);
    }
    slices.push_back({static_cast<Cpu>(std::uint32_t{record.cpu_type}), record.cpu_subtype, offset, bytes});
  }
  return slices;
}

}  // namespace

bool is_fat(Bytes file) {
  const auto header = read_at<FatHeader>(file, 0, "macho.fat.header");
  const bool magic = header && (header->magic == kFatMagic32 || header->magic == kFatMagic64);
  return magic && header->count > 0 && header->count <= kMaxSlices;
}

Read<std::vector<Slice>> read_fat(Bytes file) {
  SC_TRY(const auto header, read_at<FatHeader>(file, 0, "macho.fat.header"));
  if (header.magic != kFatMagic32 && header.magic != kFatMagic64)
    return bad_value("macho.fat.magic", 0, header.magic, kFatMagic32);
  if (header.count == 0 || header.count > kMaxSlices) return too_large("macho.fat.count", 4, header.count, kMaxSlices);
  return header.magic == kFatMagic64 ? read_slices<FatRecord64>(file, header.count)
                                     : read_slices<FatRecord32>(file, header.count);
}

}  // namespace symcached::macho
