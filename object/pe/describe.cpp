#include "object/pe/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/dwarf/sections.hpp"
#include "formats/pe/coff_object.hpp"
#include "formats/pe/debug_link.hpp"
#include "formats/pe/reader.hpp"
#include "object/common/machine_arch.hpp"
#include "object/go/in_pe.hpp"
#include "object/managed/describe.hpp"
#include "object/pe/translate_coff.hpp"

namespace symcached::object {
namespace {

Link link_of(const pe::CodeView& view) {
  if (view.format == pe::CodeView::Format::nb10)
    return {FileKind::old_pdb, fmt::format("{:08X}-{:x}", view.timestamp, view.age), std::string(view.debug_file)};
  return {view.portable ? FileKind::portable_pdb : FileKind::pdb, view.debug_id().dashed(),
          std::string(view.debug_file)};
}

std::optional<std::string_view> feature_of(pe::DebugType type) {
  switch (type) {
    case pe::DebugType::repro: return "deterministic";
    case pe::DebugType::embedded_portable_pdb: return "embedded-portable-pdb";
    case pe::DebugType::pdb_checksum: return "pdb-checksum";
    default: return std::nullopt;
  }
}

template <class File>
bool has_dwarf(const File& file) {
  return std::ranges::any_of(file.sections(), [&](const pe::SectionHeader& section) {
    const dwarf::SectionName name = dwarf::section_named(file.section_name(section));
    return name.member == &dwarf::Sections::info && !name.split;
  });
}

void describe_debug_directory(FileInfo& info, const pe::Image& image) {
  const auto entries = image.debug_entries();
  if (!entries) return info.keep_first(entries.error());
  bool own_is_portable = false;
  for (const pe::DebugEntryRecord& entry : *entries) {
    if (const auto feature = feature_of(static_cast<pe::DebugType>(std::uint32_t{entry.type})))
      info.add_feature(*feature);
    const auto view = image.code_view(entry);
    if (!view) info.keep_first(view.error());
    if (!view || !*view) continue;
    const pe::CodeView& link = **view;
    info.links.push_back(link_of(link));
    if (link.format != pe::CodeView::Format::rsds) continue;
    if (info.debug_id && (own_is_portable || !link.portable)) continue;
    own_is_portable = link.portable;
    info.debug_id = link.debug_id();
    info.debug_file = link.debug_file;
  }
  if (info.debug_file.empty() && !info.links.empty()) info.debug_file = info.links.front().path;
}

}  // namespace

void describe_pe(FileInfo& info, Bytes file) {
  const auto image = pe::Image::open(file);
  if (!image) return info.keep_first(image.error());
  info.arch = arch_of_machine(image->coff().machine);
  info.code_id = image->code_id();
  if (image->is_dll()) info.add_feature("dll");
  if (image->directory(pe::Directory::clr_header)) info.add_feature("managed");
  if (image->directory(pe::Directory::exports)) info.add_feature("exports");
  if (image->directory(pe::Directory::exceptions)) info.add_feature("unwind");
  if (image->coff().symbol_table_offset != 0 && image->coff().symbol_count != 0) info.add_feature("symbols");
  if (has_dwarf(*image)) info.add_feature("dwarf");
  if (has_go_table(*image)) info.add_feature("gopclntab");
  if (image->directory(pe::Directory::debug)) info.add_feature("debug-directory");
  describe_debug_directory(info, *image);
  if (!info.debug_id) info.debug_id = go_debug_id_of(*image);
  if (image->directory(pe::Directory::clr_header)) describe_assembly(info, *image);
  const auto link = pe::debug_link(*image);
  if (!link) return info.keep_first(link.error());
  if (*link) info.links.push_back({FileKind::pe, "", std::string((*link)->file)});
}

void describe_coff(FileInfo& info, Bytes file) {
  const auto object = pe::CoffObject::open(file);
  if (!object) return info.keep_first(object.error());
  info.arch = arch_of_machine(static_cast<std::uint16_t>(object->machine()));
  if (object->symbols().count() != 0) info.add_feature("symbols");
  if (has_dwarf(*object)) info.add_feature("dwarf");
  info.sections = code_sections_of(*object);
}

}  // namespace symcached::object
