#pragma once
/// How much a cache knows of its module: whether it is worth looking for a better original.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ppdbcache/reader.hpp"
#include "symcache/reader.hpp"

namespace symcached::symbolize {

/// The best last.
enum class Contents : std::uint8_t {
  nothing,
  public_symbols,  ///< a PDB that was stripped: names that the linker exports, extents deduced
  symbol_table,    ///< names and extents
  breakpad,        ///< functions and lines as Breakpad has them: no columns, no types of inlines
  lines,           ///< functions, lines and inlined calls of the compiler's own debug information
};
inline constexpr std::array<std::string_view, 5> kContentsNames{"nothing", "public_symbols", "symbol_table", "breakpad",
                                                                "lines"};
inline std::string_view name_of(Contents contents) { return kContentsNames.at(static_cast<std::size_t>(contents)); }
std::optional<Contents> parse_contents(std::string_view name);

/// What a cache counts as whose names are hidden for want of a BCSymbolMap: less than the same with names.
constexpr Contents with_hidden_names(Contents contents) {
  if (contents > Contents::symbol_table) return Contents::symbol_table;
  return contents < Contents::symbol_table ? contents : Contents::public_symbols;
}

/// Cost: nothing, or for a cache without lines one look at functions until one says more than a public symbol.
Contents contents_of(const symcache::Symcache& cache);
Contents contents_of(const ppdbcache::Reader& cache);

}  // namespace symcached::symbolize
