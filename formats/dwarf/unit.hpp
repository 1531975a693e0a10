#pragma once
/// Units of .debug_info: where they start, how they are encoded, and what their values mean. DWARF 5, section 7.5.1.
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/dwarf/die.hpp"
#include "formats/dwarf/sections.hpp"

namespace symcached::dwarf {

struct UnitHeader {
  std::uint64_t offset = 0;   ///< of the header, from the start of its section
  std::uint64_t entries = 0;  ///< offset of the first entry
  std::uint64_t end = 0;      ///< offset behind the last entry
  std::uint64_t abbrevs = 0;  ///< offset in .debug_abbrev
  std::uint64_t id = 0;       ///< dwo id of skeleton and split units, signature of type units; 0 = none
  Encoding encoding;
  UnitType type = UnitType::compile;
};

/// All units of a section, by rising offset, but for those of types nobody has defined: their headers may be longer.
/// A header that cannot be read is an error: nothing behind it can be found.
/// @param type_section  the section is .debug_types of DWARF 4
Read<std::vector<UnitHeader>> read_unit_headers(Bytes section, bool big_endian, bool type_section = false);

/// Where the first units of a section end, told by their lengths alone: for one that is not all there yet.
struct UnitEnds {
  std::uint64_t whole = 0;  ///< end of the last unit that is all there
  std::uint64_t next = 0;   ///< end of the unit behind it, beyond what is there; if its length is not, where that ends
};
/// @param start  the section's first bytes; nothing is said of what a unit holds
UnitEnds find_unit_ends(Bytes start, bool big_endian);

/// A unit opened: its root entry is read, and values can be taken for what they mean.
struct Unit {
  const Sections* sections = nullptr;  ///< of the file it is in, in a package those of its contribution
  UnitHeader header;
  std::shared_ptr<const AbbrevTable> abbrevs;
  Tag tag = Tag::none;
  Values root;
  bool has_children = false;
  std::uint64_t children = 0;  ///< offset of the first entry behind the root

  std::uint64_t str_offsets_base = 0;
  std::uint64_t rnglists_base = 0;
  std::uint64_t ranges_base = 0;  ///< GNU split units: added to offsets into .debug_ranges; the skeleton states it
  std::uint64_t addr_base = 0;
  Bytes addr;                           ///< .debug_addr of the file that has the code
  Bytes ranges;                         ///< .debug_ranges of that file
  std::optional<std::uint64_t> low_pc;  ///< base of range lists

  /// Reads the root entry and takes the bases from it. The rest of the fields is as the caller set it.
  Read<void> open();

  std::optional<std::uint64_t> address_at(std::uint64_t index) const;
  std::optional<std::uint64_t> address(const Value& value) const;
  std::optional<std::string_view> text(const Value& value) const;
  /// Where in .debug_str (or .debug_str.dwo) the text of a value stands, for those that stand there.
  std::optional<std::uint64_t> str_offset(const Value& value) const;
};

/// A text in a section of texts; nothing if no NUL ends it.
std::optional<std::string_view> text_at(Bytes section, std::uint64_t offset);

/// Half-open, addresses as the file states them.
struct Range {
  std::uint64_t low = 0, high = 0;
};

struct RangesRead {
  bool whole = true;        ///< false: they cannot be read; what came before the fault is appended
  std::uint64_t bytes = 0;  ///< of the list; other entries may name it again
};

/// Appends the ranges of an entry: low_pc with high_pc, or its list. Empty ranges are left out.
RangesRead append_ranges(const Unit& unit, const Values& values, std::vector<Range>& out);

}  // namespace symcached::dwarf
