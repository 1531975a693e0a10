#include "object/describe_pe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/dwarf/sections.hpp"
#include "formats/pe/coff_object.hpp"
#include "formats/pe/debug_link.hpp"
#include "formats/pe/reader.hpp"
#include "object/describe_managed.hpp"

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

void add_feature(FileInfo& info, std::string_view feature) {
  if (std::ranges::find(info.features, feature) == info.features.end()) info.features.push_back(feature);
}

void keep_first(FileInfo& info, const ReadError& error) {
  if (!info.error) info.error = error;
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
  if (!entries) return keep_first(info, entries.error());
  bool own_is_portable = false;
  for (const pe::DebugEntryRecord& entry : *entries) {
    if (const auto feature = feature_of(static_cast<pe::DebugType>(std::uint32_t{entry.type})))
      add_feature(info, *feature);
    const auto view = image.code_view(entry);
    if (!view) keep_first(info, view.error());
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
  if (!image) return keep_first(info, image.error());
  info.arch = arch_of_machine(image->coff().machine);
  info.code_id = image->code_id();
  if (image->is_dll()) add_feature(info, "dll");
  if (image->directory(pe::Directory::clr_header)) add_feature(info, "managed");
  if (image->directory(pe::Directory::exports)) add_feature(info, "exports");
  if (image->directory(pe::Directory::exceptions)) add_feature(info, "unwind");
  if (image->coff().symbol_table_offset != 0 && image->coff().symbol_count != 0) add_feature(info, "symbols");
  if (has_dwarf(*image)) add_feature(info, "dwarf");
  if (image->directory(pe::Directory::debug)) add_feature(info, "debug-directory");
  describe_debug_directory(info, *image);
  if (image->directory(pe::Directory::clr_header)) describe_assembly(info, *image);
  const auto link = pe::debug_link(*image);
  if (!link) return keep_first(info, link.error());
  if (*link) info.links.push_back({FileKind::pe, "", std::string((*link)->file)});
}

void describe_coff(FileInfo& info, Bytes file) {
  const auto object = pe::CoffObject::open(file);
  if (!object) return keep_first(info, object.error());
  info.arch = arch_of_machine(static_cast<std::uint16_t>(object->machine()));
  if (object->symbols().count() != 0) add_feature(info, "symbols");
  if (has_dwarf(*object)) add_feature(info, "dwarf");
}

}  // namespace symcached::object
