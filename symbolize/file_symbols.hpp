#pragma once
/// The symbol table of a file, as other symbolizers use it where debug information says nothing, for data, and to find
/// addresses by name. Of ELF files; of others there is none, as their symbols are in the symcache.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "formats/elf/reader.hpp"

namespace symcached::symbolize {

struct FileSymbol {
  std::uint64_t address = 0, size = 0;  ///< as stated; size 0 = not known
  std::string_view name;
  std::string_view source;  ///< the file that the table names for it, without its folder
  bool has_source = false;  ///< even if the name is empty
};

/// Views of the file's bytes.
class FileSymbols {
 public:
  /// None of a file that is no ELF file or that cannot be read.
  /// Cost: one pass over the section table; the first question reads the symbol table.
  static FileSymbols open(Bytes file);

  /// As LLVM chooses: the last symbol of code or data that starts at or before the address, if the address is not
  /// behind its end; among several of one address the largest, then the last.
  std::optional<FileSymbol> at(std::uint64_t address);

  /// As GNU chooses: the symbol of code nearest before the address within its section, however far.
  /// Cost: for the first few addresses a pass over the table each; then a sort of it, once, and binary searches.
  std::optional<FileSymbol> before(std::uint64_t address);

  /// All of that name, in the table's order. Cost: one pass.
  std::vector<FileSymbol> named(std::string_view name);

  /// Nothing if there is no such section in memory.
  std::optional<elf::AddressRange> section(std::string_view name) const;

  /// Whether addresses have 32 bits.
  bool is_narrow() const { return file_ && !file_->layout().is_64bit; }
  bool is_elf() const { return file_.has_value(); }
  /// There is more than the names that other programs link to.
  bool has_symbols() const { return file_ && file_->section(elf::SectionType::symtab) != nullptr; }

 private:
  enum class Type : std::uint8_t { untyped, function, object };
  struct Entry {
    FileSymbol symbol;
    std::uint32_t section = 0;
    Type type{};
    bool is_local = false;
  };
  using Place = std::pair<std::uint32_t, std::uint64_t>;  // section and address
  void read();
  void read(const elf::Section& table);
  void sort();
  std::span<const std::uint32_t> nearest(Place place);
  std::span<const std::uint32_t> scan_for(Place place);
  std::span<const std::uint32_t> search_for(Place place);
  void sort_by_section(std::vector<std::uint32_t>& symbols) const;
  static std::uint64_t size_of(const Entry& entry) { return entry.symbol.size == 0 ? 1 : entry.symbol.size; }
  Place place_of(std::uint32_t index) const;
  const Entry& best_of(std::span<const std::uint32_t> place, std::uint64_t distance) const;

  std::vector<Entry> symbols_;             // as in the table
  std::vector<std::uint32_t> sorted_;      // by address, one of each
  std::vector<std::uint32_t> by_section_;  // of code: by section, address, kind and size
  std::vector<std::uint32_t> nearest_;     // what the last pass found
  int questions_ = 0;                      // that before() was asked
  std::optional<elf::File> file_;
  bool is_read_ = false;
};

}  // namespace symcached::symbolize
