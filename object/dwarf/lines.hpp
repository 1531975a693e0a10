#pragma once
/// One unit's line table, ready to be cut into functions. DWARF 5, section 6.2.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "formats/dwarf/line.hpp"
#include "formats/dwarf/unit.hpp"
#include "model/module.hpp"
#include "object/common/code_symbols.hpp"
#include "object/common/work_budget.hpp"

namespace symcached::object {

/// Rows of code that lies in one piece; the last row ends it. Where sequences overlap, start and end are those of the
/// part in which this one counts.
struct LineSequence {
  std::uint64_t start = 0, end = 0;
  std::uint32_t first = 0, count = 0;  ///< rows, the ending one included
};

/// Cuts sequences that lie on top of each other, so that at each address the one that starts last is left.
/// @param sequences  by rising start, and then comes out disjoint. Cost: linear
void separate(std::vector<LineSequence>& sequences);

/// For one thread and sink; used again from unit to unit. Rows name their file by the sink's StringId.
class DwarfLines {
 public:
  DwarfLines(model::ModuleSink& sink, WorkBudget& budget, std::span<const CodeRange> code)
      : sink_(sink), budget_(budget), code_(code) {}

  /// Reads the table the unit names, if it does; a table shared with the unit before is kept. Of a table that breaks
  /// off the rows before the fault are taken, of one whose header cannot be read none: functions have names without it.
  /// @param comp_dir  what relative paths count from; empty = not known
  /// @return          a failure if the tables of all units are too much work
  Read<void> start_unit(const dwarf::Unit& unit, std::string_view comp_dir);

  /// Disjoint, by rising start.
  std::span<const LineSequence> sequences() const { return sequences_; }
  std::span<const dwarf::LineRow> rows(const LineSequence& sequence) const {
    return std::span(rows_.begin(), rows_.size()).subspan(sequence.first, sequence.count);
  }
  /// Rows that say something of [low, high): from the last one at or before `low` to the last one before `high`.
  std::span<const dwarf::LineRow> rows(std::uint64_t low, std::uint64_t high) const;

  /// Path of a file of the table, by its number there.
  model::StringId file(std::uint64_t number);

 private:
  Read<void> read_table(const dwarf::Unit& unit);
  void find_sequences();

  model::ModuleSink& sink_;
  WorkBudget& budget_;
  std::span<const CodeRange> code_;
  std::uint64_t table_ = ~std::uint64_t{0};  ///< offset of the table at hand
  std::uint64_t str_offsets_base_ = 0;       ///< it was read with
  dwarf::LineHeader header_;
  dwarf::LineRows rows_;
  std::vector<LineSequence> sequences_;
  std::vector<std::uint32_t> files_;  // by number: StringId plus 1; 0 = not asked for yet
  std::string comp_dir_, path_;
};

/// True if code may lie at `address`: linkers leave addresses of dropped functions behind.
/// @param code  disjoint, by rising start; empty = not known
inline bool is_code(std::span<const CodeRange> code, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(code, address, {}, &CodeRange::start);
  return code.empty() || (after != code.begin() && std::prev(after)->contains(address));
}

}  // namespace symcached::object
