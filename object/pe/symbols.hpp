#pragma once
/// Names for addresses out of PE images and COFF object files: the symbol table, the exports, the exception directory.
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "formats/pe/coff_symbols.hpp"
#include "formats/pe/exports.hpp"
#include "formats/pe/reader.hpp"
#include "formats/pe/runtime_functions.hpp"
#include "object/common/code_symbols.hpp"

namespace symcached::object {

/// Where a section is in memory.
struct PlacedSection {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< bytes
  bool is_code = false;
};

std::vector<CodeRange> code_ranges(std::span<const PlacedSection> sections);

/// Collects the symbols of one file and gives them the sizes that can be known. Lives as long as its names are used.
class PeSymbols {
 public:
  PeSymbols(pe::Machine machine, std::span<const PlacedSection> sections) : machine_(machine), sections_(sections) {}

  /// Functions of code, and import stubs. Section symbols, labels and the linker's own lists are left out.
  Read<void> add_table(const pe::CoffSymbols& table);
  /// Without a name of its own an export is called Ordinal and its number, as Windows' debuggers do.
  void add_exports(std::span<const pe::Export> exports, std::uint64_t image_base);
  bool empty() const { return found_.empty(); }

  /// Symbols that stand at the start of a piece of code have its size, others end where their piece or the next symbol
  /// or piece begins. Pieces of a function that are placed elsewhere get a symbol with the function's name.
  /// @param extents  by RVA, sorted; empty = not known
  void finish(std::span<const pe::CodeExtent> extents, std::uint64_t image_base);
  const CodeSymbols& symbols() const { return symbols_; }  ///< after finish()

 private:
  std::string_view plain(std::string_view name) const;
  void size_them(std::span<const pe::CodeExtent> extents, std::uint64_t image_base);
  void add_far_pieces(std::span<const pe::CodeExtent> extents, std::uint64_t image_base);

  pe::Machine machine_;
  std::span<const PlacedSection> sections_;
  std::vector<CodeSymbol> found_;
  std::deque<std::string> made_names_;
  CodeSymbols symbols_;
};

}  // namespace symcached::object
