#pragma once
/// A file's symbol table, as all formats have one: names for addresses of code.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/module.hpp"

namespace symcached::object {

/// Addresses as the file states them.
struct CodeRange {
  std::uint64_t start = 0, end = 0;
  bool contains(std::uint64_t address) const { return address >= start && address < end; }
};

struct CodeSymbol {
  enum class Binding : std::uint8_t { global, weak, local };
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0 = not stated: up to the next symbol or the end of its section
  std::string_view name;   ///< lives as long as the file
  Binding binding = Binding::global;
  bool is_stub = false;  ///< a PLT entry or an import stub: SymbolKind::thunk
};

/// Collected from the tables of one file, then asked by the translators.
class CodeSymbols {
 public:
  /// Symbols outside every range of `code` are left out by finish().
  void add(const CodeSymbol& symbol) { all_.push_back(symbol); }
  /// Some symbol states no size.
  bool any_without_size() const;
  /// Sorts, drops what is there twice, gives sizes to those that have none: up to the next symbol, the end of the
  /// section or of the function that holds them, or the start of the next function. Cost: n log n.
  /// @param functions  known by their place alone, sorted by start, disjoint; empty = not known
  void finish(std::span<const CodeRange> code, std::span<const CodeRange> functions = {});

  std::span<const CodeSymbol> all() const { return all_; }
  /// Those that start at `address`, the one to show first.
  std::span<const CodeSymbol> at(std::uint64_t address) const;

  /// All from the last one that starts at or before `address`, with others of the same start.
  std::span<const CodeSymbol> from(std::uint64_t address) const;

  /// Hands to the sink what no function covers: the uncovered part of each symbol, as a public symbol or a thunk.
  /// @param covered  what has functions with better information; sorted by start, may overlap
  void emit(model::ModuleSink& sink, std::uint64_t image_base, std::span<const CodeRange> covered) const;

 private:
  std::vector<CodeSymbol> all_;
};

}  // namespace symcached::object
