#pragma once
/// Line tables from the rows they should give. Files: 1 is /src/a.c, 2 is /usr/b.h, where the unit says /src.
#include <vector>

#include "testing/dwarf/image.hpp"

namespace symcached::testkit {

struct RowSpec {
  std::uint64_t address = 0;
  std::uint32_t line = 1;
  std::uint32_t file = 1;
  std::uint32_t column = 0;
};
struct SequenceSpec {
  std::vector<RowSpec> rows;
  std::uint64_t end = 0;
};

inline LineProgram program_of(const std::vector<SequenceSpec>& sequences, bool big = false, unsigned address_size = 8) {
  LineProgram out(big);
  for (const SequenceSpec& sequence : sequences) {
    RowSpec state;
    out.address(sequence.rows.front().address, address_size);
    state.address = sequence.rows.front().address;
    for (const RowSpec& row : sequence.rows) {
      if (row.address != state.address) out.pc(row.address - state.address);
      if (row.line != state.line) out.line(std::int64_t{row.line} - state.line);
      if (row.file != state.file) out.file(row.file);
      if (row.column != state.column) out.column(row.column);
      out.copy();
      state = row;
    }
    out.pc(sequence.end - state.address).end_sequence();
  }
  return out;
}

inline std::vector<std::byte> line_table(const std::vector<SequenceSpec>& sequences,
                                         const DwarfImage::Format& format = {}) {
  return assemble({.version = format.version,
                   .big = format.big,
                   .offset_size = format.offset_size,
                   .address_size = format.address_size,
                   .tables = format.version >= 5 ? described_tables(format.big) : plain_tables(),
                   .program = program_of(sequences, format.big, format.address_size).finish()});
}

/// A unit of a.c with the line table at `table`.
inline Entry lined_unit(std::vector<Entry> children, std::uint64_t table = 0, std::vector<Attribute> more = {}) {
  using dwarf::At;
  std::vector<Attribute> attributes = {string(At::name, "a.c"), string(At::comp_dir, "/src"),
                                       data(At::language, 0x1d, dwarf::Form::data2),
                                       data(At::stmt_list, table, dwarf::Form::data4)};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return unit_entry(std::move(attributes), std::move(children));
}

}  // namespace symcached::testkit
