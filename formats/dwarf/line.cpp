#include "formats/dwarf/line.hpp"

#include <algorithm>
#include <limits>

#include "formats/dwarf/cursor.hpp"
#include "formats/dwarf/line_constants.hpp"

namespace symcached::dwarf {
namespace {

/// What a special opcode adds.
struct Advance {
  std::uint16_t address;  ///< bytes; in a VLIW program operations
  std::int16_t line;
};
using Advances = std::array<Advance, 256>;

/// Rows for opcode_base to 255. A division each would cost as much as a small program.
Advances special_opcodes(const LineHeader& header, unsigned bytes_per_operation) {
  Advances out{};
  unsigned address = 0, line = 0;
  for (unsigned opcode = header.opcode_base; opcode < out.size(); ++opcode) {
    out[opcode] = {static_cast<std::uint16_t>(address),
                   static_cast<std::int16_t>(header.line_base + static_cast<int>(line))};
    if (header.line_range == 0 || ++line < header.line_range) {
      line = header.line_range == 0 ? 0 : line;
      continue;
    }
    line = 0;
    address += bytes_per_operation;
  }
  return out;
}

constexpr std::uint32_t saturated(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

template <bool Big>
void define_file(LineHeader& header, Bytes instruction) {
  Cursor<Big> in(instruction, 1);
  LineFile file{.name = in.c_string()};
  file.directory = saturated(in.uleb());
  if (!in.failed()) header.files.push_back(file);
}

/// The state machine. It lives on the stack of run_line_program with every member function inlined, so that its
/// registers can be the processor's.
template <bool Big, bool Vliw>
class Machine {
 public:
  Machine(LineHeader& header, const Advances& advances, LineRows& out)
      : in_(header.program),
        advances_(advances),
        header_(header),
        rows_(out),
        first_(out.size()),
        is_stmt_(header.default_is_stmt) {
    room(header.program.size() / 3 + 16);
  }

  /// @return whether every instruction could be read
  bool run() {
    const unsigned opcode_base = header_.opcode_base;
    while (!in_.at_end()) {
      const std::uint8_t opcode = in_.u8();
      if (opcode < opcode_base) standard(opcode);
      else special(opcode);
    }
    if (row_ != rows_.data() + first_ && !row_[-1].end_sequence) address_ = last_, end_sequence();
    rows_.set_size(static_cast<std::size_t>(row_ - rows_.data()));
    return !in_.failed();
  }

 private:
#define SC_INLINE [[gnu::always_inline]] inline
  SC_INLINE void special(std::uint8_t opcode) {
    const Advance advance = advances_[opcode];
    move(advance.address);
    line_ += static_cast<std::uint32_t>(std::int32_t{advance.line});
    emit();
  }

  SC_INLINE void standard(std::uint8_t opcode) {
    switch (opcode) {
      case 0: return extended();
      case DW_LNS_copy: return emit();
      case DW_LNS_advance_pc: return move(in_.uleb() * (Vliw ? 1 : header_.minimum_instruction_length));
      case DW_LNS_advance_line: line_ += static_cast<std::uint32_t>(in_.sleb()); return;
      case DW_LNS_set_file: file_ = saturated(in_.uleb()); return;
      case DW_LNS_set_column: column_ = saturated(in_.uleb()); return;
      case DW_LNS_negate_stmt: is_stmt_ = !is_stmt_; return;
      case DW_LNS_const_add_pc: return move(advances_[255].address);
      case DW_LNS_fixed_advance_pc: address_ += in_.u16(), operation_ = 0; return;
      case DW_LNS_set_basic_block:
      case DW_LNS_set_prologue_end:
      case DW_LNS_set_epilogue_begin: return;
      case DW_LNS_set_isa: return in_.skip_leb();
      default:  // not known: its operands are LEB128 numbers
        for (auto left = std::to_integer<unsigned>(header_.standard_opcode_lengths[opcode - 1u]); left != 0; --left)
          in_.skip_leb();
    }
  }

  /// The stated length decides where the next instruction is; an empty one, as padding has it, does nothing.
  SC_INLINE void extended() {
    const Bytes instruction = in_.bytes(in_.uleb());
    if (instruction.empty()) return;
    switch (std::to_integer<unsigned>(instruction[0])) {
      case DW_LNE_end_sequence: return end_sequence();
      case DW_LNE_set_address: return set_address(instruction);
      case DW_LNE_define_file: return define_file<Big>(header_, instruction);
      default: return;  // discriminators, and what vendors add
    }
  }

  SC_INLINE void set_address(Bytes instruction) {
    Cursor<Big> operand(instruction, 1);
    address_ = operand.fixed_size(static_cast<unsigned>(std::min<std::size_t>(operand.left(), 9)));
    operation_ = 0;
    if (operand.failed()) in_.fail();
  }

  SC_INLINE void move(std::uint64_t advance) {
    if constexpr (Vliw) {
      const std::uint64_t sum = operation_ + advance % header_.maximum_operations;
      address_ += header_.minimum_instruction_length *
                  (advance / header_.maximum_operations + sum / header_.maximum_operations);
      operation_ = static_cast<unsigned>(sum % header_.maximum_operations);
    } else {
      address_ += advance;
    }
  }

  SC_INLINE void emit() {
    if (limit_ - row_ < 2) [[unlikely]]
      grow();
    if (address_ < last_) [[unlikely]]
      end_at(last_);
    *row_++ = {address_, file_, line_, column_, false, is_stmt_};
    last_ = address_;
  }
  SC_INLINE void end_sequence() {
    if (row_ == limit_) [[unlikely]]
      grow();
    end_at(address_ < last_ ? last_ : address_);
    address_ = last_ = 0;
    operation_ = 0;
    file_ = line_ = 1;
    column_ = 0;
    is_stmt_ = header_.default_is_stmt;
  }
  SC_INLINE void end_at(std::uint64_t address) { *row_++ = {address, file_, line_, column_, true, is_stmt_}; }

  SC_INLINE void room(std::size_t count) {
    const std::span<LineRow> more = rows_.room(count);
    row_ = more.data();
    limit_ = row_ + more.size();
  }
  SC_INLINE void grow() {
    rows_.set_size(static_cast<std::size_t>(row_ - rows_.data()));
    room(rows_.size());
  }
#undef SC_INLINE

  Cursor<Big> in_;
  const Advances& advances_;
  LineHeader& header_;
  LineRows& rows_;
  std::size_t first_;  ///< rows that were there before
  LineRow *row_ = nullptr, *limit_ = nullptr;
  std::uint64_t address_ = 0, last_ = 0;  ///< last: of the sequence's latest row, 0 before it
  std::uint32_t file_ = 1, line_ = 1, column_ = 0;
  unsigned operation_ = 0;  ///< op_index: below maximum_operations
  bool is_stmt_;
};

template <bool Big, bool Vliw>
bool run(LineHeader& header, LineRows& out) {
  const Advances advances = special_opcodes(header, Vliw ? 1 : header.minimum_instruction_length);
  return Machine<Big, Vliw>(header, advances, out).run();
}

}  // namespace

std::span<LineRow> LineRows::room(std::size_t count) {
  if (count > capacity_ - size_) {
    const std::size_t capacity = std::max(capacity_ * 2, size_ + count);
    auto data = std::make_unique_for_overwrite<LineRow[]>(capacity);
    std::copy_n(data_.get(), size_, data.get());
    data_ = std::move(data);
    capacity_ = capacity;
  }
  return {data_.get() + size_, capacity_ - size_};
}

Read<void> run_line_program(LineHeader& header, bool big_endian, LineRows& out) {
  const bool vliw = header.maximum_operations > 1;
  const bool whole = big_endian ? (vliw ? run<true, true>(header, out) : run<true, false>(header, out))
                                : (vliw ? run<false, true>(header, out) : run<false, false>(header, out));
  if (whole) return {};
  return bad_value("dwarf.line.program", header.program_offset, header.program.size());
}

}  // namespace symcached::dwarf
