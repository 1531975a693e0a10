#pragma once
/// Touches all that PE images and object files offer besides what testing/pe_walk.hpp reads.
#include "formats/pe/coff_relocations.hpp"
#include "formats/pe/debug_link.hpp"
#include "formats/pe/exports.hpp"
#include "formats/pe/runtime_functions.hpp"
#include "testing/pe/walk.hpp"

namespace symcached::testkit {

/// @return a number that depends on all that was read
inline std::uint64_t walk_symbols(const pe::CoffSymbols& symbols) {
  std::uint64_t total = 0, text_left = symbols.most_text();
  for (std::uint64_t i = 0; i < symbols.count();) {
    const auto symbol = symbols.at(static_cast<std::uint32_t>(i));
    if (!symbol) break;
    i += 1u + symbol->aux_count;
    const std::string_view name = symbols.name(*symbol);
    if (name.size() > text_left) break;
    text_left -= name.size();
    total += sum(as_bytes(name)) + symbol->value + symbol->code_size;
  }
  return total;
}

inline std::uint64_t walk_parts(const pe::Image& image) {
  std::uint64_t total = 0;
  if (const auto symbols = pe::symbols_of(image)) total += walk_symbols(*symbols);
  if (const auto exports = pe::read_exports(image))
    for (const pe::Export& symbol : *exports) total += sum(as_bytes(symbol.name)) + symbol.rva;
  if (const auto extents = pe::read_code_extents(image))
    for (const pe::CodeExtent& extent : *extents) total += extent.end - extent.start + extent.function;
  if (const auto link = pe::debug_link(image); link && *link) total += sum(as_bytes((*link)->file)) + (*link)->crc32;
  return total;
}

inline std::uint64_t walk_object(const pe::CoffObject& object) {
  constexpr std::size_t kMostCopied = 1 << 16;  // bytes; a section may be named by many headers
  std::uint64_t total = walk_symbols(object.symbols());
  const std::vector<pe::SectionPlace> places(object.sections().size(), {0x10000});
  for (const pe::SectionHeader& section : object.sections().first(std::min<std::size_t>(places.size(), 64))) {
    total += sum(as_bytes(object.section_name(section)));
    const auto data = object.section_data(section, "walk.section");
    if (!data || data->size() > kMostCopied) continue;
    std::vector<std::byte> copy(data->begin(), data->end());
    if (pe::relocate(object, section, places, 0x10000, copy)) total += sum(copy);
  }
  return total;
}

}  // namespace symcached::testkit
