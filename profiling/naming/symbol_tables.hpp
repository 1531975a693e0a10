#pragma once
/// What the symbol tables of an ELF file say about its code.
#include <string>
#include <vector>

#include "profiling/naming/code_ranges.hpp"
#include "profiling/naming/elf_file.hpp"

namespace symcached::pprof {

/// Symbols of several tables, with their names in one text.
class SymbolCollection {
 public:
  /// @param image  whose code the symbols are to name: those elsewhere are left out
  explicit SymbolCollection(const ElfFile& image) : image_(image) {}

  /// .symtab of the image or its debug file. @return whether there is one with anything in it
  bool add_full_table(const ElfFile& file);
  /// What the dynamic linker uses: by the sections, else by PT_DYNAMIC.
  void add_dynamic_table(const ElfFile& file);
  /// .gnu_debugdata: an xz-compressed ELF file with the functions that the dynamic table lacks.
  void add_packed_table(const ElfFile& file);

  std::vector<CodeSymbol> take_symbols() { return std::move(symbols_); }
  std::string take_names() { return std::move(names_); }

 private:
  bool add_section(const ElfFile& file, const ElfSection& table);
  void add(Bytes table, Bytes strings, const ElfFile& file);
  void add_symbol(const ElfW(Sym) & symbol, std::uint64_t first_name, Bytes strings, const ElfFile& file);
  void add_by_segments(const ElfFile& file);

  const ElfFile& image_;
  std::vector<CodeSymbol> symbols_;
  std::string names_;
};

/// The ranges of the unwind information; empty if there is none.
std::vector<FrameRange> frames_of(const ElfFile& file);

}  // namespace symcached::pprof
