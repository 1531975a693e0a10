#pragma once
/// Line number tables assembled from a description, in either byte order, of versions 2 to 5.
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/dwarf/line_constants.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

/// DWARF's encodings, front to back, in the byte order chosen at the start.
class DwarfBytes {
 public:
  explicit DwarfBytes(bool big = false) : big_(big) {}

  DwarfBytes& u8(std::uint8_t value) { return out_.u8(value), *this; }
  DwarfBytes& u16(std::uint16_t value) { return big_ ? out_.u16_big(value) : out_.u16(value), *this; }
  DwarfBytes& u32(std::uint32_t value) { return big_ ? out_.u32_big(value) : out_.u32(value), *this; }
  DwarfBytes& u64(std::uint64_t value) { return big_ ? out_.u64_big(value) : out_.u64(value), *this; }
  DwarfBytes& offset(std::uint64_t value, unsigned offset_size) {
    return offset_size == 8 ? u64(value) : u32(static_cast<std::uint32_t>(value));
  }
  /// A unit's length and the unit.
  DwarfBytes& unit(const DwarfBytes& content, unsigned offset_size) {
    if (offset_size == 8) u32(0xFFFFFFFF);
    return offset(content.size(), offset_size).bytes(content.finish());
  }
  DwarfBytes& uleb(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    return u8(static_cast<std::uint8_t>(value));
  }
  DwarfBytes& sleb(std::int64_t value) {
    for (; value < -64 || value > 63; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    return u8(static_cast<std::uint8_t>(value & 0x7F));
  }
  DwarfBytes& c_string(std::string_view value) { return out_.c_string(value), *this; }
  DwarfBytes& bytes(Bytes value) { return out_.bytes(value), *this; }

  bool big() const { return big_; }
  std::size_t size() const { return out_.size(); }
  std::vector<std::byte> finish() const { return out_.finish(); }

 private:
  Section out_;
  bool big_;
};

/// The instructions of a line number program.
class LineProgram {
 public:
  explicit LineProgram(bool big = false) : out_(big) {}

  LineProgram& op(std::uint8_t opcode) { return out_.u8(opcode), *this; }  ///< special, or without operands
  LineProgram& copy() { return op(dwarf::DW_LNS_copy); }
  LineProgram& pc(std::uint64_t by) { return number(dwarf::DW_LNS_advance_pc, by); }
  LineProgram& line(std::int64_t by) { return out_.u8(dwarf::DW_LNS_advance_line).sleb(by), *this; }
  LineProgram& file(std::uint64_t file) { return number(dwarf::DW_LNS_set_file, file); }
  LineProgram& column(std::uint64_t column) { return number(dwarf::DW_LNS_set_column, column); }
  LineProgram& fixed_pc(std::uint16_t by) { return out_.u8(dwarf::DW_LNS_fixed_advance_pc).u16(by), *this; }
  LineProgram& number(std::uint8_t opcode, std::uint64_t operand) { return out_.u8(opcode).uleb(operand), *this; }
  LineProgram& extended(std::uint8_t opcode, const DwarfBytes& operands) {
    out_.u8(0).uleb(operands.size() + 1).u8(opcode).bytes(operands.finish());
    return *this;
  }
  LineProgram& end_sequence() { return extended(dwarf::DW_LNE_end_sequence, DwarfBytes()); }
  LineProgram& address(std::uint64_t address, unsigned size = 8) {
    DwarfBytes operand(out_.big());
    if (size == 8) operand.u64(address);
    else if (size == 4) operand.u32(static_cast<std::uint32_t>(address));
    else if (size == 2) operand.u16(static_cast<std::uint16_t>(address));
    else
      for (unsigned i = 0; i < size; ++i) operand.u8(static_cast<std::uint8_t>(address));
    return extended(dwarf::DW_LNE_set_address, operand);
  }
  LineProgram& bytes(std::initializer_list<std::uint8_t> values) {
    for (const std::uint8_t value : values) out_.u8(value);
    return *this;
  }

  std::size_t size() const { return out_.size(); }
  std::vector<std::byte> finish() const { return out_.finish(); }

 private:
  DwarfBytes out_;
};

inline std::vector<std::uint8_t> operands_of_version_5() { return {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}; }

struct LineTableSpec {
  std::uint16_t version = 5;
  bool big = false;
  std::uint8_t offset_size = 4;
  std::uint8_t address_size = 8;
  std::uint8_t minimum_instruction_length = 1;
  std::uint8_t maximum_operations = 1;  ///< from version 4
  bool default_is_stmt = true;
  std::int8_t line_base = -5;
  std::uint8_t line_range = 14;
  std::vector<std::uint8_t> lengths = operands_of_version_5();  ///< one less than opcode_base of them
  std::vector<std::byte> tables = {};  ///< directories and files; empty: the version's smallest
  std::vector<std::byte> program = {};
};

/// A whole table: its length, header and program.
inline std::vector<std::byte> assemble(const LineTableSpec& spec) {
  DwarfBytes header(spec.big);  // what header_length counts
  header.u8(spec.minimum_instruction_length);
  if (spec.version >= 4) header.u8(spec.maximum_operations);
  header.u8(spec.default_is_stmt).u8(static_cast<std::uint8_t>(spec.line_base)).u8(spec.line_range);
  header.u8(static_cast<std::uint8_t>(spec.lengths.size() + 1)).bytes(std::as_bytes(std::span(spec.lengths)));
  if (!spec.tables.empty()) header.bytes(spec.tables);
  else if (spec.version >= 5) header.u32(0);  // no fields, no directories, no fields, no files
  else header.u16(0);

  DwarfBytes unit(spec.big);
  unit.u16(spec.version);
  if (spec.version >= 5) unit.u8(spec.address_size).u8(0);
  unit.offset(header.size(), spec.offset_size).bytes(header.finish()).bytes(spec.program);
  return DwarfBytes(spec.big).unit(unit, spec.offset_size).finish();
}

/// Directories "include", "/usr"; files "a.c" in 0, "b.h" in 2. Versions 2 to 4.
inline std::vector<std::byte> plain_tables() {
  DwarfBytes out;
  out.c_string("include").c_string("/usr").c_string("");
  out.c_string("a.c").uleb(0).uleb(0x5AB38077).uleb(300);
  return out.c_string("b.h").uleb(2).uleb(0).uleb(0).c_string("").finish();
}

/// The same in version 5 with the compilation directory "/src" at 0 and the primary file "a.c" at 0 and 1; names are
/// in place, and files have an MD5 and a field of a vendor.
inline std::vector<std::byte> described_tables(bool big = false) {
  constexpr std::uint8_t kString = 0x08, kUdata = 0x0F, kData2 = 0x05, kData16 = 0x1E;
  DwarfBytes out(big);
  out.u8(1).uleb(dwarf::DW_LNCT_path).uleb(kString).uleb(3).c_string("/src").c_string("include").c_string("/usr");
  out.u8(4).uleb(dwarf::DW_LNCT_path).uleb(kString).uleb(0x2345).uleb(kUdata);
  out.uleb(dwarf::DW_LNCT_MD5).uleb(kData16).uleb(dwarf::DW_LNCT_directory_index).uleb(kData2).uleb(3);
  out.c_string("a.c").uleb(1000).u64(1).u64(2).u16(0);
  out.c_string("a.c").uleb(0).u64(1).u64(2).u16(0);
  return out.c_string("b.h").uleb(7).u64(3).u64(4).u16(2).finish();
}

/// Version 5 tables of one directory and three files with names in the other sections: each string form once.
inline std::vector<std::byte> referring_tables(bool big = false, unsigned offset_size = 4) {
  constexpr std::uint8_t kStrp = 0x0E, kLineStrp = 0x1F, kStrx = 0x1A, kStrx1 = 0x25, kUdata = 0x0F;
  DwarfBytes out(big);
  out.u8(1).uleb(dwarf::DW_LNCT_path).uleb(kLineStrp).uleb(1).offset(5, offset_size);
  out.u8(5).uleb(dwarf::DW_LNCT_directory_index).uleb(kUdata).uleb(dwarf::DW_LNCT_path).uleb(kStrx1);
  out.uleb(0x2345).uleb(kStrp).uleb(0x2345).uleb(kStrx).uleb(0x2346).uleb(kLineStrp).uleb(3);
  for (std::uint8_t i = 0; i < 3; ++i)
    out.uleb(i).u8(i).offset(7, offset_size).uleb(300).offset(~std::uint64_t{0}, offset_size);
  return out.finish();
}

/// One of each instruction, in two sequences.
inline std::vector<std::byte> rich_program(bool big = false) {
  LineProgram out(big);
  out.address(0x1000).column(7).copy().op(0x4B).file(2).line(-200).copy().op(dwarf::DW_LNS_negate_stmt).op(0x20);
  out.op(dwarf::DW_LNS_const_add_pc).op(dwarf::DW_LNS_set_basic_block).op(dwarf::DW_LNS_set_prologue_end).op(0xFF);
  out.extended(dwarf::DW_LNE_set_discriminator, DwarfBytes().uleb(3)).pc(300).op(dwarf::DW_LNS_set_epilogue_begin);
  out.number(dwarf::DW_LNS_set_isa, 1).copy().fixed_pc(0x1234).line(500).copy().pc(2).end_sequence();
  out.extended(dwarf::DW_LNE_define_file, DwarfBytes().c_string("late.c").uleb(1).uleb(0).uleb(0));
  return out.address(0x800, 4).extended(0x80, DwarfBytes().u32(5)).file(3).copy().pc(1).end_sequence().finish();
}

}  // namespace symcached::testkit
