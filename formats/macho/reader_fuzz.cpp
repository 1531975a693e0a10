/// A Mach-O file, a universal file or a BCSymbolMap, by its first bytes.
#include "formats/macho/reader.hpp"

#include "formats/macho/bcsymbolmap.hpp"
#include "formats/macho/fat.hpp"
#include "testing/macho/walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto bytes = std::as_bytes(std::span(data, size));
  bool whole = false;
  if (const auto file = macho::File::open(bytes)) testkit::walk_everything(*file, whole);
  if (const auto slices = macho::read_fat(bytes))
    for (const macho::Slice& slice : *slices)
      if (const auto file = macho::File::open(slice.file)) testkit::walk_everything(*file, whole);
  if (const auto map = macho::SymbolMap::open(bytes))
    for (std::size_t i = 0; i < map->size(); ++i) [[maybe_unused]]
      const auto size_of_both = map->revealed(map->line(i)).size() + map->symbol_name(map->line(i)).size();
  return 0;
}
