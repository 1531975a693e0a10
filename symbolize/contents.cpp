#include "symbolize/contents.hpp"

#include <algorithm>

namespace symcached::symbolize {
namespace {

bool has_own_functions(const symcache::Symcache& cache) {
  symcache::FrameBuffer buffer;
  for (std::uint32_t i = 0; i < cache.function_count(); ++i)
    if (const auto function = cache.function(i, buffer); function && function->kind == model::SymbolKind::function)
      return true;
  return false;
}

}  // namespace

std::optional<Contents> parse_contents(std::string_view name) {
  const auto found = std::ranges::find(kContentsNames, name);
  if (found == kContentsNames.end()) return std::nullopt;
  return static_cast<Contents>(found - kContentsNames.begin());
}

Contents contents_of(const symcache::Symcache& cache) {
  if (cache.function_count() == 0) return Contents::nothing;
  const bool has_lines = cache.section_size(&symcache::Header::files) != 0;
  if (has_lines) return cache.producer_kind() == "breakpad" ? Contents::breakpad : Contents::lines;
  // Symbol tables of other formats state sizes, or at least every function; those of a PDB only what is exported.
  if (cache.producer_kind() != "pdb" || has_own_functions(cache)) return Contents::symbol_table;
  return Contents::public_symbols;
}

Contents contents_of(const ppdbcache::Reader& cache) {
  if (cache.point_count() != 0) return Contents::lines;
  return cache.has_names() ? Contents::symbol_table : Contents::nothing;
}

}  // namespace symcached::symbolize
