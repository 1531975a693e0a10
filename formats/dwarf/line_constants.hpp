#pragma once
/// Numbers of .debug_line. DWARF 5, 7.22.
#include <cstdint>

namespace symcached::dwarf {

/// Standard opcodes of a line number program: one byte each.
enum Lns : std::uint8_t {
  DW_LNS_copy = 1,
  DW_LNS_advance_pc = 2,
  DW_LNS_advance_line = 3,
  DW_LNS_set_file = 4,
  DW_LNS_set_column = 5,
  DW_LNS_negate_stmt = 6,
  DW_LNS_set_basic_block = 7,
  DW_LNS_const_add_pc = 8,
  DW_LNS_fixed_advance_pc = 9,
  DW_LNS_set_prologue_end = 10,    ///< from version 3
  DW_LNS_set_epilogue_begin = 11,  ///< from version 3
  DW_LNS_set_isa = 12,             ///< from version 3
};

/// Extended opcodes: a zero byte, the instruction's length, the opcode.
enum Lne : std::uint8_t {
  DW_LNE_end_sequence = 1,
  DW_LNE_set_address = 2,
  DW_LNE_define_file = 3,        ///< up to version 4
  DW_LNE_set_discriminator = 4,  ///< from version 4
};

/// What a field of a version 5 directory or file entry holds.
enum Lnct : std::uint16_t {
  DW_LNCT_path = 1,
  DW_LNCT_directory_index = 2,
  DW_LNCT_timestamp = 3,
  DW_LNCT_size = 4,
  DW_LNCT_MD5 = 5,
};

}  // namespace symcached::dwarf
