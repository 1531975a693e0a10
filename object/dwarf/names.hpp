#pragma once
/// Names of subprograms, through the entries they refer to. DWARF 5, sections 2.13.2 and 3.3.8.2.
#include "base/number_map.hpp"
#include "model/module.hpp"
#include "object/dwarf/files.hpp"

namespace symcached::object {

/// An entry's name for people or for linkers; what linkers use says more, and is taken wherever it stands.
struct DwarfName {
  model::StringId id = model::StringId::none;
  bool is_linkage = false;
};

/// For one thread and sink. Strings are interned by their place: a text is read and hashed once, however many entries
/// name it. Once the budget is overdrawn names are empty; the caller has to look.
class DwarfNames {
 public:
  DwarfNames(const DwarfFiles& files, DwarfOpener& opener, WorkBudget& budget, model::ModuleSink& sink)
      : files_(files), opener_(opener), budget_(budget), sink_(sink) {}

  /// What was found for entries of the last unit is forgotten.
  void start_unit() { entries_.clear(); }

  /// @param file  index of the unit's file
  DwarfName of(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Values& values) {
    return of(unit, file, values, 0);
  }
  model::StringId text(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& value);
  /// The text of a value as it stands, wherever that is; nothing if it cannot be read.
  std::optional<std::string_view> view(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& value) const;

 private:
  /// A place in a section of strings.
  struct Place {
    std::uint32_t file;
    std::uint64_t offset;
  };
  std::optional<Place> place_of(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& value) const;
  DwarfName of(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Values& values, unsigned depth);
  DwarfName referred(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& reference, unsigned depth);
  DwarfName at(const dwarf::Unit& unit, std::uint32_t file, std::uint64_t offset, unsigned depth);

  const DwarfFiles& files_;
  DwarfOpener& opener_;
  WorkBudget& budget_;
  model::ModuleSink& sink_;
  NumberMap entries_;  // by file and offset of an entry: its name, twice its id, and 1 if it is what linkers use
  NumberMap texts_;    // by file and offset in .debug_str: the id
};

}  // namespace symcached::object
