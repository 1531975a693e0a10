#pragma once
/// Addresses in relocatable files (object files, kernel modules), which count from the start of a section. Where our
/// own addresses, which count through all sections, place each: docs/formats/elf.md, "Addresses".
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "symbolize/module.hpp"

namespace symcached::symbolize {

/// ".text+0x10". Views the text.
struct SectionPlace {
  std::string_view section;
  std::uint64_t offset = 0;  ///< bytes
  bool operator==(const SectionPlace&) const = default;
};

/// A name, a plus sign and a hexadecimal offset; the last plus sign counts.
std::optional<SectionPlace> parse_section_place(std::string_view text);

/// The sections of a module. Views into it, which must outlive this.
class Sections {
 public:
  explicit Sections(const Module& module);

  /// True: the module is not of a relocatable file with code, and addresses count from its image base alone.
  bool empty() const { return places_.empty(); }

  /// The address of an offset in a section: in the first one of that name that is long enough.
  /// @return nothing: no section has the name, or none of them is so long
  std::optional<model::Rva> address(const SectionPlace& place) const;

  /// The address of an offset that is given without its section. It is taken as GNU addr2line does: the first section
  /// with code that is long enough is meant.
  /// @return nothing: none is
  std::optional<model::Rva> address(std::uint64_t offset) const;

 private:
  std::vector<symcache::SectionPlace> places_;
};

}  // namespace symcached::symbolize
