#include "object/wasm/describe.hpp"

#include <algorithm>

#include "base/hex.hpp"
#include "object/dwarf/in_wasm.hpp"

namespace symcached::object {

void describe_wasm(FileInfo& info, Bytes file) {
  const auto module = wasm::Module::open(file);
  if (!module) {
    info.error = module.error();
    return;
  }
  info.arch = model::Arch::wasm32;
  info.debug_id = debug_id_of(*module);
  info.code_id = to_hex(module->build_id().first(std::min<std::size_t>(module->build_id().size(), kMaxBuildId)));
  const auto name = module->module_name();
  if (name) info.debug_file = *name;
  else info.error = name.error();
  const std::string_view external = module->string_in(kExternalDebugInfo);
  const auto add = [&](bool has, std::string_view feature) {
    if (has) info.features.push_back(feature);
  };
  add(is_object_file(*module), "object");
  add(module->is_memory64(), "memory64");
  add(module->find_custom("name") != nullptr, "symbols");
  add(module->find(wasm::SectionId::exports) != nullptr, "exports");
  add(!dwarf_of(*module).info.empty(), "dwarf");
  add(!external.empty(), "external-debug-info");
  add(module->find_custom("sourceMappingURL") != nullptr, "source-map");
  if (!external.empty())
    info.links.push_back({FileKind::wasm, info.debug_id ? info.debug_id->dashed() : "", std::string(external)});
}

}  // namespace symcached::object
