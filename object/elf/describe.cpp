#include "object/elf/describe.hpp"

#include <algorithm>

#include "formats/dwarf/sections.hpp"
#include "formats/elf/reader.hpp"
#include "object/dwarf/in_elf.hpp"
#include "object/elf/symbols.hpp"
#include "object/elf/translate.hpp"
#include "object/go/in_elf.hpp"

namespace symcached::object {
namespace {

using elf::SectionType;

bool in_file(const elf::Section* section) {
  return section != nullptr && section->type != SectionType::nobits && section->size != 0;
}

bool is_compressed(const elf::Section& section) {
  const dwarf::SectionName name = dwarf::section_named(section.name);
  return name.member != nullptr && in_file(&section) &&
         (name.gnu_compressed || (section.flags & elf::kFlagCompressed) != 0);
}

bool has_lines(const elf::Section& section) {
  return dwarf::section_named(section.name).member == &dwarf::Sections::line && in_file(&section);
}

}  // namespace

void describe_elf(FileInfo& info, Bytes bytes) {
  const auto file = elf::File::open(bytes);
  if (!file) {
    info.error = file.error();
    return;
  }
  info.arch = arch_of(file->machine());
  info.debug_id = file->debug_id();
  info.code_id = file->code_id();
  info.sections = code_sections_of(*file);
  const auto any = [&](auto test) { return std::ranges::any_of(file->sections(), test); };
  const auto feature = [&](std::string_view name, bool there) {
    if (there) info.features.push_back(name);
  };
  feature("relocatable", file->type() == elf::FileType::relocatable);
  feature("code", any([](const elf::Section& s) { return s.is_code() && in_file(&s); }));
  feature("symbols", in_file(file->section(SectionType::symtab)));
  feature("dynamic-symbols", in_file(file->section(SectionType::dynsym)));
  feature("minidebuginfo", in_file(file->section(".gnu_debugdata")));
  feature("dwarf", has_dwarf(*file));
  feature("lines", any(has_lines));
  feature("split", has_dwarf(*file, true));
  feature("compressed", any(is_compressed));
  feature("gopclntab", has_go_table(*file));
  feature("unwind", in_file(file->section(".eh_frame")) || in_file(file->section(".debug_frame")));
  if (const auto link = file->debug_link())
    info.links.push_back({.kind = FileKind::elf,
                          .debug_id = info.debug_id ? info.debug_id->dashed() : std::string(),
                          .path = std::string(link->file)});
  if (const auto link = file->alt_link())
    info.links.push_back({.kind = FileKind::elf,
                          .debug_id = elf::debug_id_of(link->build_id, file->layout()).dashed(),
                          .path = std::string(link->file)});
}

}  // namespace symcached::object
