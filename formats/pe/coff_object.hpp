#pragma once
/// Object files (.obj, .o), plain and /bigobj: what a compiler hands to the linker.
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/pe/coff_symbols.hpp"
#include "formats/pe/reader.hpp"

namespace symcached::pe {

/// Object files have no magic: a known machine, no optional header, and a section table that can be one.
/// Cost: looks at the header and the first section.
bool is_object(Bytes file);

/// An opened object file. Views into bytes it does not own.
class CoffObject {
 public:
  static Read<CoffObject> open(Bytes file);

  Machine machine() const { return machine_; }
  bool is_big() const { return is_big_; }
  std::span<const SectionHeader> sections() const { return sections_; }
  /// @param section  one of sections(), by reference into the file
  std::string_view section_name(const SectionHeader& section) const { return strings_.section_name(section.name); }
  const CoffSymbols& symbols() const { return symbols_; }

  /// What the file holds of a section; empty for one of zeros.
  Read<Bytes> section_data(const SectionHeader& section, std::string_view field) const;
  /// Relocations of a section, in place; empty if it has none.
  Read<std::span<const RelocationRecord>> relocations(const SectionHeader& section) const;

  Bytes file() const { return file_; }

 private:
  Bytes file_;
  Machine machine_ = Machine::unknown;
  bool is_big_ = false;
  std::span<const SectionHeader> sections_;
  CoffSymbols symbols_;
  StringTable strings_;
};

}  // namespace symcached::pe
