#include "object/go/in_pe.hpp"

#include <algorithm>
#include <utility>

#include "object/go/debug_id.hpp"

namespace symcached::object {
namespace {

constexpr std::uint32_t kSectionWritable = 0x80000000;

GoImage go_image_of(const pe::Image& file) {
  GoImage image;
  image.container = {.pointer_size = static_cast<std::uint8_t>(file.header().is_64bit ? 8 : 4), .big_endian = false};
  image.base = file.header().image_base;
  image.entry_point = file.header().entry_point == 0 ? 0 : image.base + file.header().entry_point;
  for (const pe::SectionHeader& section : file.sections())
    if (const auto bytes = file.section_data(section, "pe.section"))
      image.add(
          {image.base + section.rva, *bytes, pe::is_code(section), (section.characteristics & kSectionWritable) != 0});
  image.finish();
  return image;
}

std::optional<GoTable> go_table_in(const pe::Image& file, const GoImage& image) {
  if (file.directory(pe::Directory::debug) || file.directory(pe::Directory::clr_header)) return std::nullopt;
  for (const bool any_magic : {false, true})
    for (const GoRegion& region : image.regions()) {
      if (region.is_code || region.is_writable) continue;
      if (auto found = find_go_table(region, image.container, any_magic)) return found;
    }
  return std::nullopt;
}

}  // namespace

bool has_go_table(const pe::Image& file) { return go_table_in(file, go_image_of(file)).has_value(); }

std::optional<GoProgram> go_program_of(const pe::Image& file) {
  GoImage image = go_image_of(file);
  const auto table = go_table_in(file, image);
  return table ? GoProgram::open(std::move(image), *table) : std::nullopt;
}

std::optional<DebugId> go_debug_id_of(const pe::Image& file) {
  const GoImage image = go_image_of(file);
  const auto table = go_table_in(file, image);
  return table ? std::optional(go_debug_id(image, *table)) : std::nullopt;
}

}  // namespace symcached::object
