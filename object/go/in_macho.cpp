#include "object/go/in_macho.hpp"

#include <algorithm>
#include <utility>

#include "object/go/debug_id.hpp"

namespace symcached::object {
namespace {

GoImage go_image_of(const macho::File& file) {
  GoImage image;
  image.container = {.pointer_size = static_cast<std::uint8_t>(file.header().is_64bit ? 8 : 4),
                     .big_endian = file.header().big_endian};
  image.base = file.image_base();
  image.chained_pointers = file.header().is_64bit;
  for (const macho::SectionInfo& section : file.sections())
    if (const auto bytes = file.data_of(section); bytes && !section.is_zero_fill())
      image.add({section.address, *bytes, section.has_instructions(), section.segment.starts_with("__DATA")});
  image.finish();
  return image;
}

std::optional<GoTable> go_table_in(const macho::File& file) {
  const auto section = std::ranges::find(file.sections(), "__gopclntab", &macho::SectionInfo::name);
  if (section == file.sections().end()) return std::nullopt;
  const auto bytes = file.data_of(*section);
  if (!bytes) return std::nullopt;
  const go::Container container{.pointer_size = static_cast<std::uint8_t>(file.header().is_64bit ? 8 : 4),
                                .big_endian = file.header().big_endian};
  const auto table = go::Table::open(*bytes, container, true);
  return table ? std::optional(GoTable{*table, section->address}) : std::nullopt;
}

}  // namespace

bool has_go_table(const macho::File& file) { return go_table_in(file).has_value(); }

std::optional<GoProgram> go_program_of(const macho::File& file) {
  const auto table = go_table_in(file);
  return table ? GoProgram::open(go_image_of(file), *table) : std::nullopt;
}

std::optional<DebugId> go_debug_id_of(const macho::File& file) {
  const auto table = go_table_in(file);
  return table ? std::optional(go_debug_id(go_image_of(file), *table)) : std::nullopt;
}

}  // namespace symcached::object
