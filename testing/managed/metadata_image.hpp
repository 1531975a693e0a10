#pragma once
/// .NET metadata assembled from rows: heaps, the table stream with indexes as wide as the rows ask for, the root.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ppdb/metadata.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

/// ECMA-335 II.23.2: 7, 14 or 29 bits.
inline Section& put_number(Section& out, std::uint32_t value) {
  if (value < 0x80) return out.u8(static_cast<std::uint8_t>(value));
  if (value < 0x4000) return out.u16_big(static_cast<std::uint16_t>(0x8000 | value));
  if (value >= 0x20000000) throw std::logic_error("no room for it in a compressed integer");
  return out.u32_big(0xC0000000 | value);
}
/// The same with the sign in the lowest bit.
inline Section& put_signed(Section& out, std::int32_t value) {
  const std::int32_t bits = value >= -0x40 && value < 0x40 ? 7 : value >= -0x2000 && value < 0x2000 ? 14 : 29;
  const auto low = static_cast<std::uint32_t>(value) & ((std::uint32_t{1} << (bits - 1)) - 1);
  const std::uint32_t rotated = low << 1 | (value < 0 ? 1 : 0);
  if (bits == 7) return out.u8(static_cast<std::uint8_t>(rotated));
  if (bits == 14) return out.u16_big(static_cast<std::uint16_t>(0x8000 | rotated));
  return out.u32_big(0xC0000000 | rotated);
}

/// A cell and what decides how wide it is.
struct MetadataCell {
  enum class Kind : std::uint8_t { fixed16, fixed32, string, guid, blob, index } kind;
  std::uint32_t value;
  unsigned tag_bits = 0;                 ///< index: 0 = into one table
  std::vector<ppdb::Table> tables = {};  ///< index: those it can point to
};
namespace cell {
using Kind = MetadataCell::Kind;
inline MetadataCell u16(std::uint32_t value) { return {Kind::fixed16, value}; }
inline MetadataCell u32(std::uint32_t value) { return {Kind::fixed32, value}; }
inline MetadataCell string(std::uint32_t offset) { return {Kind::string, offset}; }
inline MetadataCell guid(std::uint32_t index) { return {Kind::guid, index}; }
inline MetadataCell blob(std::uint32_t offset) { return {Kind::blob, offset}; }
inline MetadataCell row(ppdb::Table table, std::uint32_t number) { return {Kind::index, number, 0, {table}}; }
inline MetadataCell coded(unsigned bits, std::vector<ppdb::Table> tables, std::uint32_t tag, std::uint32_t number) {
  return {Kind::index, number << bits | tag, bits, std::move(tables)};
}
}  // namespace cell

class MetadataImage {
 public:
  std::string version = "v4.0.30319";
  std::string tables_name = "#~";
  std::uint8_t heap_sizes = 0;                        ///< flags set though the heaps are small
  std::optional<std::vector<std::byte>> pdb_id = {};  ///< 20 bytes: there is a #Pdb stream
  std::uint32_t entry_point = 0;
  std::map<ppdb::Table, std::uint32_t> elsewhere = {};  ///< rows that the #Pdb stream states

  std::uint32_t string(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = static_cast<std::uint32_t>(strings_.size());
    strings_.c_string(text);
    return at;
  }
  /// @param disk  as GUIDs are stored
  std::uint32_t guid(Bytes disk) {
    guids_.bytes(disk);
    return static_cast<std::uint32_t>(guids_.size() / 16);
  }
  std::uint32_t blob(Bytes data) {
    const auto at = static_cast<std::uint32_t>(blobs_.size());
    put_number(blobs_, static_cast<std::uint32_t>(data.size())).bytes(data);
    return at;
  }
  /// @return its number
  std::uint32_t row(ppdb::Table table, std::vector<MetadataCell> cells) {
    auto& rows = rows_[table];
    rows.push_back(std::move(cells));
    return static_cast<std::uint32_t>(rows.size());
  }
  std::uint32_t rows(ppdb::Table table) const {
    const auto found = rows_.find(table);
    return found == rows_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
  }

  /// Labels: "streams" (how many), "valid", "row_counts", "rows", and each stream's name at its contents.
  Section assemble() const {
    struct Stream {
      std::string name;
      Section data;
    };
    std::vector<Stream> streams;
    if (pdb_id) streams.push_back({"#Pdb", pdb_stream()});
    streams.push_back({tables_name, {}});  // its labels must be of the whole
    streams.push_back({"#Strings", strings_});
    streams.push_back({"#GUID", guids_});
    streams.push_back({"#Blob", blobs_});
    Section out;
    out.u32(ppdb::kMetadataMagic).u16(1).u16(1).u32(0).u32(static_cast<std::uint32_t>((version.size() + 4) / 4 * 4));
    out.c_string(version).align(4).u16(0).label("streams").u16(static_cast<std::uint16_t>(streams.size()));
    for (const Stream& stream : streams) {
      out.label("header " + stream.name).ref32(stream.name).distance32(stream.name, stream.name + " end");
      out.c_string(stream.name).align(4);
    }
    for (const Stream& stream : streams) {
      out.label(stream.name);
      if (stream.name == tables_name) put_tables(out);
      else out.bytes(stream.data.finish());
      out.align(4).label(stream.name + " end");
    }
    return out;
  }

 private:
  std::uint32_t referenced(ppdb::Table table) const {
    if (pdb_id && static_cast<std::uint8_t>(table) < ppdb::kFirstDebugTable) {
      const auto found = elsewhere.find(table);
      return found == elsewhere.end() ? 0 : found->second;
    }
    return rows(table);
  }
  void put_cell(Section& out, const MetadataCell& cell) const {
    bool wide = false;
    switch (cell.kind) {
      case MetadataCell::Kind::fixed16: break;
      case MetadataCell::Kind::fixed32: wide = true; break;
      case MetadataCell::Kind::string: wide = (flags() & 1) != 0; break;
      case MetadataCell::Kind::guid: wide = (flags() & 2) != 0; break;
      case MetadataCell::Kind::blob: wide = (flags() & 4) != 0; break;
      case MetadataCell::Kind::index:
        wide =
            std::ranges::any_of(cell.tables, [&](ppdb::Table t) { return referenced(t) >= 0x10000u >> cell.tag_bits; });
    }
    if (wide) out.u32(cell.value);
    else if (cell.value > 0xFFFF) throw std::logic_error("the cell is too narrow for its value");
    else out.u16(static_cast<std::uint16_t>(cell.value));
  }
  std::uint8_t flags() const {
    return static_cast<std::uint8_t>(heap_sizes | (strings_.size() > 0xFFFF ? 1 : 0) |
                                     (guids_.size() / 16 > 0xFFFF ? 2 : 0) | (blobs_.size() > 0xFFFF ? 4 : 0));
  }
  Section pdb_stream() const {
    Section out;
    out.bytes(*pdb_id).u32(entry_point);
    std::uint64_t tables = 0;
    for (const auto& [table, count] : elsewhere) tables |= std::uint64_t{1} << static_cast<unsigned>(table);
    out.u64(tables);
    for (const auto& [table, count] : elsewhere) out.u32(count);
    return out;
  }
  void put_tables(Section& out) const {
    std::uint64_t valid = 0;
    for (const auto& [table, rows] : rows_) valid |= std::uint64_t{1} << static_cast<unsigned>(table);
    out.u32(0).u8(2).u8(0).label("heap_sizes").u8(flags()).u8(1).label("valid").u64(valid).u64(0).label("row_counts");
    for (const auto& [table, rows] : rows_) out.u32(static_cast<std::uint32_t>(rows.size()));
    if ((heap_sizes & 0x40) != 0) out.u32(0xAABBCCDD);
    out.label("rows");
    for (const auto& [table, rows] : rows_)
      for (const auto& cells : rows)
        for (const MetadataCell& one : cells) put_cell(out, one);
  }

  Section strings_ = Section().u8(0), guids_, blobs_ = Section().u8(0);
  std::map<ppdb::Table, std::vector<std::vector<MetadataCell>>> rows_;
};

}  // namespace symcached::testkit
