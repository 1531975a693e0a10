#pragma once
/// Line number tables (.debug_line) of DWARF 2 to 5: which source line each address comes from. DWARF 5, 6.2.
///
///   LineHeader header;  // both reused from table to table: they keep their memory
///   LineRows rows;
///   if (const auto read = read_line_header(sections, offset, header); !read) return read;
///   const auto whole = run_line_program(header, sections.big_endian, rows);  // on failure rows holds what came before
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "formats/dwarf/sections.hpp"

namespace symcached::dwarf {

/// Bytes of one name in .debug_str or .debug_line_str; a longer one is not read, the entry's name is empty. All names
/// of a header together may have 256 bytes for each byte of the header.
inline constexpr std::size_t kMaxLineNameSize = 8192;

/// A file of a line table. Paths are not joined here.
struct LineFile {
  std::string_view name;  ///< as recorded; empty: not in the sections at hand
  std::uint32_t directory = 0;
};

/// A table's header. Views into the sections' bytes.
struct LineHeader {
  std::uint16_t version = 0;                    ///< 2 to 5
  std::uint8_t offset_size = 4;                 ///< 8: 64-bit DWARF
  std::uint8_t address_size = 0;                ///< 0 = not stated: version < 5
  std::uint8_t minimum_instruction_length = 1;  ///< bytes
  std::uint8_t maximum_operations = 1;          ///< per instruction; 1 unless VLIW
  bool default_is_stmt = true;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;                ///< 0: special opcodes advance nothing but line_base lines
  std::uint8_t opcode_base = 1;               ///< at least 1
  Bytes standard_opcode_lengths;              ///< operands of opcode n at [n - 1]; opcode_base - 1 bytes
  std::vector<std::string_view> directories;  ///< [0]: the compilation directory, empty before version 5
  std::vector<LineFile> files;                ///< [n] is file n in every version; before version 5 [0] is unused
  Bytes program;
  std::uint64_t program_offset = 0;  ///< in the section
  std::uint64_t next = 0;            ///< offset of the next table; 0 = not even the length could be read
};

/// One row of the table.
struct LineRow {
  std::uint64_t address;  ///< Svma, or the offset in its section if the input is not linked
  std::uint32_t file;     ///< number as in LineHeader::files, unchecked; 0xFFFFFFFF: more than 32 bits
  std::uint32_t line;     ///< 0 = no line
  std::uint32_t column;   ///< 0 = not known
  bool end_sequence;      ///< the address is the first after the sequence; the rest means nothing
  bool is_stmt;
};
static_assert(sizeof(LineRow) == 24 && std::is_trivially_default_constructible_v<LineRow>);

/// Rows that are appended by the million: memory is not zeroed first and stays after clear().
class LineRows {
 public:
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const LineRow* data() const { return data_.get(); }
  const LineRow* begin() const { return data_.get(); }
  const LineRow* end() const { return data_.get() + size_; }
  LineRow* begin() { return data_.get(); }
  LineRow* end() { return data_.get() + size_; }
  const LineRow& operator[](std::size_t i) const { return data_[i]; }
  LineRow& operator[](std::size_t i) { return data_[i]; }

  /// Room for `count` more rows, written by the caller from end(), then stated with set_size().
  std::span<LineRow> room(std::size_t count);
  void set_size(std::size_t size) { size_ = size; }

 private:
  std::unique_ptr<LineRow[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Reads the header of the table at `offset` in sections.line.
/// @param out               everything in it is replaced; after a failure only `next` may be used
/// @param str_offsets_base  DW_AT_str_offsets_base of the unit, for names given by index
/// Names that lie outside their section are empty; a count that the bytes cannot hold is a failure.
Read<void> read_line_header(const Sections& sections, std::uint64_t offset, LineHeader& out,
                            std::uint64_t str_offsets_base = 0);

/// Appends the rows of every sequence of the program to `out`.
///
/// What `out` gains is always a run of whole sequences: addresses do not go down inside one, and each ends with an
/// end_sequence row. Where a program lowers the address inside a sequence, and where it ends or breaks off inside
/// one, the sequence is ended at the address of its last row (whose extent nobody knows).
/// @param header  DW_LNE_define_file appends to its files
/// @return        a failure if an instruction is cut off or cannot be read; the rows before it are in `out`
/// Cost: at most two rows for each byte of the program.
Read<void> run_line_program(LineHeader& header, bool big_endian, LineRows& out);

}  // namespace symcached::dwarf
