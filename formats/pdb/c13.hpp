#pragma once
/// A module's C13 subsections: lines, inlinee lines, file checksums, cross-scope ids. Spec: docs/formats/pdb.md, 5.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "formats/pdb/codeview.hpp"
#include "formats/pdb/pdb.hpp"

namespace symcached::pdb {

/// Lines of one contribution: a head and the file blocks behind it.
struct LineTable {
  SectionOffset start;
  std::uint32_t size = 0;  ///< bytes of code
  bool has_columns = false;
  Bytes blocks;
};

/// One row of a LineTable. `file` is an offset in the module's file checksums.
struct LineRow {
  std::uint32_t offset = 0;  ///< bytes from the table's start
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t file = 0;
};

struct CrossScopeImport {
  std::uint32_t module = 0;  ///< offset in /names
  std::span<const u32le> ids;
};

/// The subsections of one module, found in one pass. Views into the given bytes.
struct C13 {
  std::vector<LineTable> lines;       ///< sorted by start; of several with one start the first of the file comes first
  std::vector<InlineeLine> inlinees;  ///< sorted by inlinee
  std::vector<CrossScopeImport> imports;
  std::span<const CrossScopeExport> exports;
  Bytes checksums;

  /// Refills from `data`, keeping the vectors' memory.
  Read<void> read(Bytes data);

  const InlineeLine* inlinee(std::uint32_t id) const;
  /// Offset in /names of the file a line block or inlinee names.
  std::optional<std::uint32_t> file_name(std::uint32_t checksum_offset) const;
};

/// Appends the rows of all blocks of a table, sorted by offset; rows with equal offsets keep the order of the file.
Read<void> read_rows(const LineTable& table, std::vector<LineRow>& out);

}  // namespace symcached::pdb
