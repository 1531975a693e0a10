#include "object/dwarf/in_wasm.hpp"

#include <cstring>

namespace symcached::object {
namespace {

dwarf::Sections sections_of(const wasm::Module& module, bool split) {
  dwarf::Sections sections{.split = split};
  for (const wasm::Section& section : module.sections()) {
    if (section.id != wasm::SectionId::custom) continue;
    const dwarf::SectionName name = dwarf::section_named(section.name);
    if (name.member == nullptr || name.split != split || name.gnu_compressed) continue;
    if (Bytes& place = sections.*name.member; place.empty()) place = section.data;
  }
  return sections;
}

}  // namespace

bool is_object_file(const wasm::Module& module) { return module.find_custom("linking") != nullptr; }

dwarf::Sections dwarf_of(const wasm::Module& module) { return sections_of(module, false); }

dwarf::Sections split_dwarf_of(const wasm::Module& module) { return sections_of(module, true); }

std::optional<DebugId> debug_id_of(const wasm::Module& module) {
  const Bytes id = module.build_id();
  DebugId result;
  if (id.size() < result.guid.bytes.size()) return std::nullopt;
  std::memcpy(result.guid.bytes.data(), id.data(), result.guid.bytes.size());
  return result;
}

}  // namespace symcached::object
