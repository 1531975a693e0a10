#pragma once
/// The DWARF of one translation: the file itself, its supplementary file, its split files; and their units.
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "formats/dwarf/unit.hpp"
#include "object/common/work_budget.hpp"
#include "object/dwarf/translate.hpp"

namespace symcached::object {

inline constexpr std::uint32_t kMainFile = 0;
inline constexpr std::uint32_t kNoFileIndex = 0xFFFFFFFF;

struct DwarfFile {
  const dwarf::Sections* sections = nullptr;
  std::vector<dwarf::UnitHeader> units;  ///< by rising offset
  std::uint32_t texts = 0;               ///< the first file with the same .debug_str: units of a package share theirs

  /// Index of the unit that holds an offset of .debug_info; -1 if none does.
  std::ptrdiff_t unit_at(std::uint64_t offset) const;
};

/// The id of a skeleton or a split unit, stated in the header or, before DWARF 5, in the root; 0 = none.
std::uint64_t dwo_id_of(const dwarf::Unit& unit);

/// A split unit that belongs to a skeleton.
struct SplitUnit {
  std::uint32_t file = kNoFileIndex;  ///< kNoFileIndex: not among the files at hand
  std::size_t unit = 0;
};

/// Immutable once open: threads share it.
class DwarfFiles {
 public:
  /// @param input  must outlive what is opened
  static Read<DwarfFiles> open(const DwarfInput& input);

  const DwarfFile& file(std::uint32_t index) const { return files_[index]; }
  const DwarfFile& main() const { return files_[kMainFile]; }
  std::uint32_t supplementary() const { return supplementary_; }  ///< kNoFileIndex = none
  /// Of several units with one id the first one. An id of 0 is none.
  SplitUnit split_unit(std::uint64_t dwo_id) const;
  std::uint64_t bytes() const { return bytes_; }  ///< of all sections together
  /// Budget for opening every unit: roots may share abbreviation tables.
  std::uint64_t roots_budget() const { return bytes_ * 16 + (std::uint64_t{64} << 20); }

 private:
  Read<void> add(const dwarf::Sections& sections);
  Read<void> add_split(const dwarf::Sections& sections);
  Read<void> add_package(const dwarf::Sections& package);
  void count(const dwarf::Sections& sections);

  std::vector<DwarfFile> files_;
  std::deque<dwarf::Sections> contributions_;  ///< of the units of packages, one file each
  std::uint32_t supplementary_ = kNoFileIndex;
  std::unordered_map<std::uint64_t, SplitUnit> split_;
  std::uint64_t bytes_ = 0;
};

/// What a translation may spend. Tables that many entries share may be read again, but not without end: large programs
/// spend one and a half times their DWARF, most of it on rows; small files that dwz packed up to three times.
inline std::uint64_t translation_work(const DwarfFiles& files) {
  constexpr std::uint64_t kReadAgain = 8, kFloor = 16u << 20;
  return files.bytes() * kReadAgain + kFloor;
}

/// Opens units for one thread and keeps what it opened lately: abbreviation tables, and units that others refer to.
class DwarfOpener {
 public:
  DwarfOpener(const DwarfFiles& files, WorkBudget& budget) : files_(files), budget_(budget) {}

  /// @param skeleton  the unit whose addresses a split unit uses; null for others
  Read<dwarf::Unit> open(std::uint32_t file, std::size_t unit, const dwarf::Unit* skeleton = nullptr);
  /// @param sections  that the header is of; must outlive the unit
  Read<dwarf::Unit> open(const dwarf::Sections& sections, const dwarf::UnitHeader& header,
                         const dwarf::Unit* skeleton = nullptr);
  /// The unit that holds an entry, for references from other units; null if there is none. Lives until the next call.
  const dwarf::Unit* holding(std::uint32_t file, std::uint64_t offset);

 private:
  Read<std::shared_ptr<const dwarf::AbbrevTable>> abbrevs(const dwarf::Sections& sections,
                                                          const dwarf::UnitHeader& header);

  struct Table {
    dwarf::Encoding encoding;
    std::shared_ptr<const dwarf::AbbrevTable> table;
  };
  const DwarfFiles& files_;
  WorkBudget& budget_;
  std::unordered_map<std::uint64_t, Table> tables_;
  std::uint64_t table_bytes_ = 0;  ///< of those kept
  std::unordered_map<std::uint64_t, std::unique_ptr<dwarf::Unit>> units_;
};

}  // namespace symcached::object
