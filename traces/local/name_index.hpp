#pragma once
/// Functions of a module by name, with the distance to the next one: what kernels print as "foo+0x12/0x80".
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "object/common/code_symbols.hpp"
#include "symcache/reader.hpp"
#include "traces/local/geometry.hpp"

namespace symcached::traces {

class NameIndex {
 public:
  struct Place {
    model::Rva start;
    std::uint64_t gap = 0;  ///< bytes up to the next function or the end of the section
    bool is_last = false;   ///< of its section: what is printed as its size may go beyond it
  };

  /// Of a symbol table, as the kernel itself measures distances.
  /// @param symbols  sorted, as CodeSymbols::finish() leaves them
  /// Cost: of each symbol less than a microsecond and about 100 bytes; 0.1 s for a kernel.
  static NameIndex of(std::span<const object::CodeSymbol> symbols, const Geometry& geometry);
  /// Of the functions of a cache, where there is no symbol table: a function that the linker replaced by another of
  /// its name is one here, and labels within functions are none.
  /// Cost: about a microsecond and 100 bytes of each function.
  static NameIndex of(const symcache::Symcache& cache, const Geometry& geometry);

  /// Functions of exactly that name, as the linker knows it or demangled, that may have the offset and the size.
  /// @param count  set to how many have the name, whatever their size
  /// Cost: the first time that a name is not one of the linker's, all names are demangled.
  std::vector<Place> find(std::string_view name, std::uint64_t offset, std::optional<std::uint64_t> size,
                          std::size_t& count);

 private:
  using Names = std::unordered_multimap<std::string, std::uint32_t>;
  std::uint32_t place_at(model::Rva start, std::uint64_t size);
  void add(std::string_view name, std::uint32_t place) { names_.emplace(name, place); }
  void measure(const std::vector<Geometry::Range>& code);
  void demangle_all();

  std::vector<Place> places_;  // by rising start
  Names names_, demangled_;    // to places_
  bool is_demangled_ = false;
};

}  // namespace symcached::traces
