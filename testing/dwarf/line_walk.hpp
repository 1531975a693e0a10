#pragma once
/// What must hold for the rows of any line number program, however broken.
#include <cstdlib>

#include "formats/dwarf/line.hpp"

namespace symcached::testkit {

/// Every sequence is ended, and inside one addresses do not go down.
inline bool are_whole_sequences(const dwarf::LineRows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool first = i == 0 || rows[i - 1].end_sequence;
    if (!first && rows[i].address < rows[i - 1].address) return false;
  }
  return rows.empty() || rows[rows.size() - 1].end_sequence;
}

/// Reads every table of the section and aborts where a promise of line.hpp is broken.
inline void walk_lines(const dwarf::Sections& sections) {
  dwarf::LineHeader header;
  dwarf::LineRows rows;
  for (std::uint64_t offset = 0; offset < sections.line.size(); offset = header.next) {
    const auto read = dwarf::read_line_header(sections, offset, header, 0);
    if (header.next == 0) break;
    if (header.next <= offset || header.next > sections.line.size()) std::abort();
    if (!read) continue;
    if (header.directories.size() + header.files.size() > header.next - offset + 2) std::abort();
    std::size_t text = 0;
    for (const std::string_view name : header.directories) text += name.size();
    for (const dwarf::LineFile& file : header.files) text += file.name.size();
    if (text > dwarf::kMaxLineNameSize + 256 * (header.next - offset)) std::abort();
    rows.clear();
    (void)dwarf::run_line_program(header, sections.big_endian, rows);
    if (rows.size() > 2 * header.program.size() || !are_whole_sequences(rows)) std::abort();
  }
}

}  // namespace symcached::testkit
