#pragma once
/// Reads .NET metadata in place: the root, its streams, the rows of its tables, its heaps. The same bytes stand inside
/// of an assembly and, as a whole file, in a Portable PDB. Spec: ECMA-335, II.24; docs/formats/portable_pdb.md.
#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/ppdb/tables.hpp"
#include "ids/guid.hpp"

namespace symcached::ppdb {

inline constexpr std::uint32_t kMetadataMagic = 0x424A5342;  ///< "BSJB"
inline constexpr std::uint32_t kMaxRows = 0xFFFFFF;          ///< what a token has room for
inline constexpr std::uint32_t kMaxStreams = 64;
/// Bytes of one name in #Strings. Compilers stop at 1023.
inline constexpr std::size_t kMaxStringSize = 32 * 1024;

/// First bytes of metadata. Does this file begin like a Portable PDB?
bool is_metadata(Bytes file);

/// One row, by reference into the metadata's bytes and layout: valid while the Metadata is neither moved nor gone.
class Row {
 public:
  Row(const std::byte* data, const RowLayout& layout) : data_(data), layout_(&layout) {}
  /// A column by its index in tables.hpp; 0 for one that the table does not have.
  std::uint32_t operator[](unsigned column) const {
    const Cell cell = layout_->cells[column];
    const std::byte* at = data_ + cell.offset;
    if (cell.width == 2) return load<u16le>(at);
    if (cell.width == 4) return load<u32le>(at);
    return cell.width == 1 ? std::to_integer<std::uint32_t>(*at) : 0;
  }

 private:
  template <class T>
  static std::uint32_t load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
  }
  const std::byte* data_;
  const RowLayout* layout_;
};

/// Views into bytes it does not own. Opening checks the streams and that all rows are there; what the cells say is
/// checked where it is used.
class Metadata {
 public:
  /// Cost: a few hundred steps, no allocation.
  static Read<Metadata> open(Bytes bytes);

  Bytes bytes() const { return bytes_; }
  std::string_view version() const { return version_; }   ///< "v4.0.30319", "PDB v1.0"
  bool is_uncompressed() const { return uncompressed_; }  ///< tables in #-, as edit-and-continue leaves them

  std::uint32_t rows(Table table) const { return rows_[static_cast<std::size_t>(table)]; }
  /// Rows of the table that indexes point to: in a Portable PDB those of the assembly, as the #Pdb stream states them.
  std::uint32_t referenced_rows(Table table) const { return sizes_.rows[static_cast<std::size_t>(table)]; }
  std::uint8_t row_size(Table table) const { return layouts_[static_cast<std::size_t>(table)].size; }
  /// @param number  1-based, as indexes and tokens have it
  Read<Row> row(Table table, std::uint32_t number, std::string_view field) const {
    const auto index = static_cast<std::size_t>(table);
    if (number - 1 >= rows_[index]) [[unlikely]]
      return bad_value(field, 0, number, rows_[index]);
    return at(table, number);
  }
  /// The same when `number` is known to be in 1..rows(table).
  Row at(Table table, std::uint32_t number) const {
    const auto index = static_cast<std::size_t>(table);
    return {tables_[index] + std::size_t{number - 1} * layouts_[index].size, layouts_[index]};
  }

  /// Text in #Strings up to its NUL. Cost: its length.
  Read<std::string_view> string(std::uint32_t offset, std::string_view field) const;
  /// @param index  1-based; 0 gives the GUID of zeros
  Read<Guid> guid(std::uint32_t index, std::string_view field) const;
  /// Contents of a blob; 0 gives none.
  Read<Bytes> blob(std::uint32_t offset, std::string_view field) const;

  Bytes blobs() const { return blobs_.data; }
  Bytes pdb_stream() const { return pdb_.data; }  ///< "#Pdb"; empty if there is none
  bool has_pdb_stream() const { return pdb_.present; }
  /// Where a view into the metadata lies in it, for errors.
  std::uint64_t offset_of(Bytes view) const { return static_cast<std::uint64_t>(view.data() - bytes_.data()); }

 private:
  struct Stream {
    Bytes data;
    bool present = false;
  };
  Read<void> read_streams();
  Read<void> place(std::string_view name, Bytes data);
  Read<void> read_referenced_rows();
  Read<void> read_tables();

  Bytes bytes_;
  std::string_view version_;
  bool uncompressed_ = false;
  Stream tables_stream_, strings_, user_strings_, guids_, blobs_, pdb_;
  IndexSizes sizes_;
  std::array<std::uint32_t, kTableCount> rows_{};
  std::array<const std::byte*, kTableCount> tables_{};
  std::array<RowLayout, kTableCount> layouts_{};
};

}  // namespace symcached::ppdb
