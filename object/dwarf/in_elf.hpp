#pragma once
/// The DWARF sections of an ELF file, ready to read: inflated, and in object files relocated.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/inflate_limits.hpp"
#include "base/inflate_stream.hpp"
#include "formats/dwarf/sections.hpp"
#include "formats/elf/reader.hpp"

namespace symcached::object {

class ElfDwarf {
 public:
  struct Options {
    bool split = false;  ///< the sections named ".dwo" instead of those that are not
    unsigned threads = 1;
    std::function<void()> release = {};
    std::span<Bytes dwarf::Sections::* const> only = {};  ///< the sections that are wanted; empty = all
    InflateLimits inflate = {};                           ///< of all wanted sections together
    bool may_leave_info = false;  ///< a large .debug_info that can be inflated unit by unit may stay compressed
  };
  /// Cost: nothing for plain sections of linked files and split ones; others are copied, about 1 GB/s and thread.
  static Read<ElfDwarf> open(const elf::File& file, const Options& options);

  const dwarf::Sections& sections() const { return sections_; }
  /// .debug_info where it stayed as it was; sections().info is empty then.
  const std::optional<Compressed>& compressed_info() const { return compressed_info_; }

 private:
  dwarf::Sections sections_;
  std::optional<Compressed> compressed_info_;
  std::vector<Buffer> owned_;  ///< what the sections view, where that is not the file
};

/// True if the file itself holds units, whatever they are packed with. Cost: looks at the section headers alone.
bool has_dwarf(const elf::File& file, bool split = false);

/// True if the file has bytes of one of the sections. Cost: as above.
bool has_section(const elf::File& file, Bytes dwarf::Sections::* member, bool split = false);

}  // namespace symcached::object
