#pragma once
/// One unit's line table, ready to be cut into functions. DWARF 5, section 6.2.
#include <span>
#include <vector>

#include "formats/dwarf/line.hpp"
#include "formats/dwarf/unit.hpp"
#include "model/module.hpp"
#include "object/code_symbols.hpp"
#include "object/work_budget.hpp"

namespace symcached::object {

/// Rows of code that lies in one piece; the last row ends it.
struct LineSequence {
  std::uint64_t start = 0, end = 0;
  std::uint32_t first = 0, count = 0;  ///< rows, the ending one included
};

/// For one thread and sink; used again from unit to unit. Rows name their file by the sink's StringId.
class DwarfLines {
 public:
  DwarfLines(model::ModuleSink& sink, WorkBudget& budget, std::span<const CodeRange> code)
      : sink_(sink), budget_(budget), code_(code) {}

  /// Reads the table the unit names, if it does; a table shared with the unit before is kept.
  /// @param comp_dir  what relative paths count from; empty = not known
  Read<void> start_unit(const dwarf::Unit& unit, std::string_view comp_dir);

  /// By rising start.
  std::span<const LineSequence> sequences() const { return sequences_; }
  std::span<const dwarf::LineRow> rows(const LineSequence& sequence) const {
    return std::span(rows_.begin(), rows_.size()).subspan(sequence.first, sequence.count);
  }
  /// Rows that say something of [low, high): from the last one at or before `low` to the last one before `high`.
  std::span<const dwarf::LineRow> rows(std::uint64_t low, std::uint64_t high) const;

  /// Path of a file of the table, by its number there.
  model::StringId file(std::uint64_t number);

 private:
  void find_sequences();

  model::ModuleSink& sink_;
  WorkBudget& budget_;
  std::span<const CodeRange> code_;
  std::uint64_t table_ = ~std::uint64_t{0};  ///< offset of the table at hand
  dwarf::LineHeader header_;
  dwarf::LineRows rows_;
  std::vector<LineSequence> sequences_;
  std::vector<std::uint32_t> files_;  // by number: StringId plus 1; 0 = not asked for yet
  std::string comp_dir_, path_;
};

/// True if code may lie at `address`: linkers leave addresses of dropped functions behind.
inline bool is_code(std::span<const CodeRange> code, std::uint64_t address) {
  for (const CodeRange& range : code)
    if (range.contains(address)) return true;
  return code.empty();
}

}  // namespace symcached::object
