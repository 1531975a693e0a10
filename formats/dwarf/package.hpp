#pragma once
/// Packages (.dwp): the split units of a whole program in one file, found by their ids. DWARF 5, section 7.3.5, and the
/// GNU proposal for DWARF 4 that it grew from, "DebugFissionDWP".
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/dwarf/sections.hpp"

namespace symcached::dwarf {

/// A unit of a package: which id it has, and where its part of every section is written down.
struct PackedUnit {
  std::uint64_t id = 0;   ///< dwo id of compilation units, signature of type units
  std::uint32_t row = 0;  ///< for UnitIndex::sections_of
};

/// .debug_cu_index or .debug_tu_index. A view: whoever opened the package keeps the bytes.
class UnitIndex {
 public:
  /// @return what is wrong with the table; of an empty section an index without units
  static Read<UnitIndex> open(Bytes section, bool big_endian);

  /// In the table's order; each row once.
  std::span<const PackedUnit> units() const { return units_; }

  /// The sections of a package cut to one unit's parts. Texts are shared by all units and stay whole; a section that
  /// the table has no column for comes out empty.
  /// @param row  of one of `units()`
  Read<Sections> sections_of(std::uint32_t row, const Sections& package) const;

 private:
  static constexpr std::size_t kMaxColumns = 16;  ///< eight are defined

  std::uint32_t number(std::uint64_t offset) const;
  Read<void> read_columns();
  Read<void> read_slots(std::uint64_t slots);

  Bytes section_;
  bool big_endian_ = false;
  unsigned version_ = 0;
  std::uint32_t columns_ = 0, rows_ = 0;
  std::uint64_t hashes_ = 0, names_ = 0, offsets_ = 0, sizes_ = 0;  ///< where the tables start
  std::array<Bytes Sections::*, kMaxColumns> members_{};            ///< by column; null = nothing of ours
  std::vector<PackedUnit> units_;
};

}  // namespace symcached::dwarf
