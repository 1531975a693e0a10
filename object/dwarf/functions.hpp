#pragma once
/// The functions of one unit after the other, with their lines and inlined calls, handed to a sink.
#include <vector>

#include "object/dwarf/files.hpp"
#include "object/dwarf/inline_rows.hpp"
#include "object/dwarf/lines.hpp"
#include "object/dwarf/names.hpp"
#include "object/dwarf/translate.hpp"

namespace symcached::object {

/// For one thread and sink. A unit is walked once, no tree of entries is kept.
class DwarfFunctions {
 public:
  DwarfFunctions(const DwarfInput& input, const DwarfFiles& files, WorkBudget& budget, model::ModuleSink& sink)
      : input_(input),
        files_(files),
        budget_(budget),
        sink_(sink),
        opener_(files, budget),
        names_(files, opener_, budget, sink),
        lines_(sink, budget, input.code) {}

  /// @param sections  of the main file, for this unit: see UnitBatch
  /// @param rank      the unit's number in the main file: says which function goes first where two have one start
  Read<void> unit(const dwarf::Sections& sections, const dwarf::UnitHeader& header, std::size_t rank);

  /// Code that has functions now, in the order of emission.
  std::vector<CodeRange>& covered() { return covered_; }

 private:
  /// A function whose entry is open: what its children have said so far.
  struct OpenFunction {
    model::StringId name{};
    std::uint64_t entry = 0;  ///< address; only if has_entry
    bool has_entry = false;
    std::vector<dwarf::Range> code;
    std::vector<model::Inlinee> scopes;
    std::vector<ScopeRange> ranges;
  };
  struct Scope {
    std::uint32_t function;      ///< index of the open function; kNone = outside of all
    std::uint32_t inlinee;       ///< innermost inlined call around; kNoInlinee = none
    bool in_subprogram = false;  ///< with or without code
    bool opened_function = false;
  };

  /// @return whether the unit that the skeleton stands for is there; then it is walked
  Read<bool> split_unit(const dwarf::Unit& skeleton);
  bool find_ranges(const dwarf::Unit& unit);
  Read<void> entries(const dwarf::Unit& unit, std::uint32_t file);
  template <bool Big>
  Read<void> walk(const dwarf::Unit& unit, std::uint32_t file);
  Read<Scope> open_function(const dwarf::Unit& unit, std::uint32_t file);
  Read<Scope> open_inlined(const dwarf::Unit& unit, std::uint32_t file, const Scope& around);
  Read<void> close_function();
  Read<void> emit(OpenFunction& function, std::size_t piece, std::size_t entry);
  Read<void> rows_without_function();
  Read<void> symbols_of_gap(std::uint64_t low, std::uint64_t high);
  Read<void> emit_rows(std::uint64_t low, std::uint64_t high, std::string_view name, bool is_stub);
  model::StringId name_at(std::uint64_t address, model::StringId name);

  const DwarfInput& input_;
  const DwarfFiles& files_;
  WorkBudget& budget_;
  model::ModuleSink& sink_;
  DwarfOpener opener_;
  DwarfNames names_;
  DwarfLines lines_;
  InlineRows rows_;
  std::vector<CodeRange> covered_;

  // of the current unit
  model::Language language_ = model::Language::unknown;
  std::uint32_t rank_ = 0;
  std::size_t covered_before_ = 0;
  dwarf::Values values_;
  std::vector<Scope> scopes_;
  std::vector<OpenFunction> functions_;  ///< the first `open_` of them are open; the others keep their memory
  std::size_t open_ = 0;
  std::vector<dwarf::Range> found_;
};

}  // namespace symcached::object
