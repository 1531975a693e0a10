#include "object/wasm_dwarf.hpp"

#include <cstring>

namespace symcached::object {

bool is_object_file(const wasm::Module& module) { return module.find_custom("linking") != nullptr; }

dwarf::Sections dwarf_of(const wasm::Module& module) {
  dwarf::Sections sections;
  if (is_object_file(module)) return sections;
  for (const wasm::Section& section : module.sections()) {
    if (section.id != wasm::SectionId::custom) continue;
    const dwarf::SectionName name = dwarf::section_named(section.name);
    if (name.member == nullptr || name.split || name.gnu_compressed) continue;
    if (Bytes& place = sections.*name.member; place.empty()) place = section.data;
  }
  return sections;
}

std::optional<DebugId> debug_id_of(const wasm::Module& module) {
  const Bytes id = module.build_id();
  DebugId result;
  if (id.size() < result.guid.bytes.size()) return std::nullopt;
  std::memcpy(result.guid.bytes.data(), id.data(), result.guid.bytes.size());
  return result;
}

}  // namespace symcached::object
