#pragma once
/// Lines of the functions' own frames, from a module's line tables. Spec: docs/formats/pdb.md, section 8.
#include <cstdint>
#include <vector>

#include "formats/pdb/c13.hpp"
#include "object/pdb/flatten_frames.hpp"
#include "object/pdb/strings.hpp"

namespace symcached::object {

/// Remembers the table read last, so that the functions of one large table cost a search each.
class PdbLines {
 public:
  /// @param module  must stay as it is until the next call
  /// @param bytes   size of the module's stream: work beyond what its records can rightly ask for is refused
  void start_module(const pdb::C13& module, std::uint64_t bytes);

  /// Appends the rows of [start, start + size) as ranges of the function itself, rising and without overlaps.
  /// A row runs to the next one of any file block. Of several tables with one start (folded code) the first counts.
  Read<void> append_ranges(pdb::SectionOffset start, std::uint32_t size, PdbStrings& strings,
                           std::vector<FrameRange>& out);

 private:
  Read<void> append_table(const pdb::LineTable& table, pdb::SectionOffset start, std::uint32_t size,
                          PdbStrings& strings, std::vector<FrameRange>& out);
  Read<void> spend(std::uint64_t steps);

  const pdb::C13* module_ = nullptr;
  const pdb::LineTable* read_ = nullptr;  ///< the table whose rows are in rows_
  std::vector<pdb::LineRow> rows_;
  std::uint64_t steps_left_ = 0;
};

}  // namespace symcached::object
