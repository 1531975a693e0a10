#pragma once
/// Split DWARF out of a file of any container: a .dwo file, an object file that holds its own split units, a package.
#include <memory>
#include <span>
#include <vector>

#include "object/common/original.hpp"
#include "object/dwarf/in_elf.hpp"

namespace symcached::object {

class SplitFile {
 public:
  /// @param only  see ElfDwarf::Options
  /// @return empty() if the file holds no split DWARF
  static Read<SplitFile> open(Bytes file, const ElfDwarf::Options& options);

  const dwarf::Sections& sections() const { return sections_; }
  bool empty() const { return sections_.info.empty() && sections_.cu_index.empty(); }

 private:
  dwarf::Sections sections_;
  std::shared_ptr<const void> owner_;  ///< of the bytes that the file does not hold as they are
};

/// What the .dwo files and packages among the companions hold, for DwarfInput::split.
class SplitFiles {
 public:
  static Read<SplitFiles> open(const Original& original);

  void add(const dwarf::Sections& sections) { sections_.push_back(sections); }
  std::span<const dwarf::Sections> sections() const { return sections_; }

 private:
  std::vector<SplitFile> files_;
  std::vector<dwarf::Sections> sections_;
};

/// Whether a file holds a unit's split DWARF. Of a package: whether its index says so.
bool holds_split_unit(Bytes file, std::uint64_t dwo_id);

}  // namespace symcached::object
