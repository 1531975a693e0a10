#include "formats/pe/coff_object.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace symcached::pe {
namespace {

constexpr std::uint16_t kFileExecutable = 0x0002;
constexpr std::uint16_t kBigObjectVersion = 2;

/// What both headers say.
struct ObjectHeader {
  std::uint16_t machine;
  bool is_big;
  std::uint32_t size;  ///< bytes of the header itself
  std::uint32_t section_count, symbol_table_offset, symbol_count;
};

bool has_objects(std::uint16_t machine) {
  switch (static_cast<Machine>(machine)) {
    case Machine::i386:
    case Machine::amd64:
    case Machine::armnt:
    case Machine::arm64:
    case Machine::arm64ec: return true;
    default: return false;
  }
}

Read<ObjectHeader> read_header(Bytes file) {
  SC_TRY(const auto plain, read_at<CoffHeader>(file, 0, "coff.header"));
  if (plain.machine == 0 && plain.section_count == 0xFFFF) {
    SC_TRY(const auto big, read_at<BigObjectHeader>(file, 0, "coff.big_header"));
    if (big.class_id != kBigObjectClass || big.version < kBigObjectVersion)
      return bad_value("coff.big_header.class_id", 12, big.class_id[0], kBigObjectClass[0]);
    if (!has_objects(big.machine)) return bad_value("coff.machine", 6, big.machine);
    return ObjectHeader{big.machine, true, sizeof(big), big.section_count, big.symbol_table_offset, big.symbol_count};
  }
  if (!has_objects(plain.machine)) return bad_value("coff.machine", 0, plain.machine);
  if (plain.optional_header_size != 0) return bad_value("coff.optional_header_size", 16, plain.optional_header_size);
  if ((plain.characteristics & (kFileExecutable | kFileDll)) != 0)
    return bad_value("coff.characteristics", 18, plain.characteristics);
  if (plain.section_count == 0 || plain.section_count >= kFirstReservedSection)
    return bad_value("coff.section_count", 2, plain.section_count);
  return ObjectHeader{plain.machine,     false, sizeof(plain), plain.section_count, plain.symbol_table_offset,
                      plain.symbol_count};
}

}  // namespace

bool is_object(Bytes file) {
  const auto header = read_header(file);
  if (!header) return false;
  if (header->is_big) return true;
  const auto section = read_at<SectionHeader>(file, header->size, "coff.section_headers");
  const std::uint64_t headers_end = header->size + std::uint64_t{header->section_count} * sizeof(SectionHeader);
  const auto printable = [](char c) { return c == 0 || (c > 0x20 && c < 0x7F); };
  return section && section->name[0] != 0 && std::ranges::all_of(section->name, printable) &&
         (section->raw_offset == 0 || section->raw_offset >= headers_end) &&
         (header->symbol_table_offset == 0 || header->symbol_table_offset >= headers_end);
}

Read<CoffObject> CoffObject::open(Bytes file) {
  SC_TRY(const auto header, read_header(file));
  CoffObject object;
  object.file_ = file;
  object.machine_ = static_cast<Machine>(header.machine);
  object.is_big_ = header.is_big;
  ByteReader in(file.subspan(header.size), header.size);
  SC_TRY(object.sections_, in.array<SectionHeader>(header.section_count, "coff.section_headers"));
  if (header.symbol_table_offset == 0) return object;
  SC_TRY(object.symbols_, CoffSymbols::open(file, header.symbol_table_offset, header.symbol_count, header.is_big));
  object.strings_ = object.symbols_.strings();
  return object;
}

Read<Bytes> CoffObject::section_data(const SectionHeader& section, std::string_view field) const {
  if ((section.characteristics & kSectionUninitialized) != 0 || section.raw_offset == 0) return Bytes();
  return slice(file_, section.raw_offset, section.raw_size, field);
}

Read<std::span<const RelocationRecord>> CoffObject::relocations(const SectionHeader& section) const {
  std::uint64_t count = section.relocation_count, offset = section.relocations_offset;
  if ((section.characteristics & kSectionManyRelocations) != 0 && count == 0xFFFF) {
    SC_TRY(const auto first, read_at<RelocationRecord>(file_, offset, "coff.relocation_count"));
    if (first.place == 0) return bad_value("coff.relocation_count", offset, 0);
    count = first.place - 1u;  // it counts itself
    offset += sizeof(first);
  }
  if (count == 0) return std::span<const RelocationRecord>();
  SC_TRY(const Bytes bytes, slice(file_, offset, count * sizeof(RelocationRecord), "coff.relocations"));
  return ByteReader(bytes).array<RelocationRecord>(count, "coff.relocations");
}

}  // namespace symcached::pe
