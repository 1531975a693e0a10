#include "formats/dwarf/sections.hpp"

namespace symcached::dwarf {
namespace {

struct Row {
  std::string_view name;
  Bytes Sections::* member;
};
constexpr Row kNames[] = {
    {"info", &Sections::info},
    {"types", &Sections::types},
    {"abbrev", &Sections::abbrev},
    {"line", &Sections::line},
    {"str", &Sections::str},
    {"line_str", &Sections::line_str},
    {"addr", &Sections::addr},
    {"str_offsets", &Sections::str_offsets},
    {"str_offs", &Sections::str_offsets},  // Mach-O has room for 16 characters
    {"ranges", &Sections::ranges},
    {"rnglists", &Sections::rnglists},
    {"cu_index", &Sections::cu_index},
    {"tu_index", &Sections::tu_index},
};

}  // namespace

SectionName section_named(std::string_view name) {
  SectionName found;
  if (name.starts_with(".debug_")) name.remove_prefix(7);
  else if (name.starts_with("__debug_")) name.remove_prefix(8);
  else if (name.starts_with(".zdebug_")) name.remove_prefix(8), found.gnu_compressed = true;
  else if (name.starts_with("__zdebug_")) name.remove_prefix(9), found.gnu_compressed = true;
  else return {};
  if (name.ends_with(".dwo")) name.remove_suffix(4), found.split = true;
  for (const Row& row : kNames)
    if (row.name == name) found.member = row.member;
  if (found.member == &Sections::cu_index || found.member == &Sections::tu_index) found.split = true;
  return found.member == nullptr ? SectionName{} : found;
}

}  // namespace symcached::dwarf
