#pragma once
/// Touches everything a WebAssembly module offers, so that a sanitizer sees every byte the reader would hand out.
#include <cstdint>

#include "formats/wasm/reader.hpp"

namespace symcached::testkit {

/// @return a number that depends on all that was read; false in `whole` if a part could not be read
inline std::uint64_t walk_everything(const wasm::Module& module, bool& whole) {
  std::uint64_t total = module.code_offset() + module.is_memory64();
  const auto add = [&](std::string_view text) {
    for (const char c : text) total += static_cast<unsigned char>(c);
  };
  for (const wasm::Section& section : module.sections()) {
    add(section.name), add(as_text(section.data));
    add(module.string_in(section.name));
  }
  add(as_text(module.build_id()));
  const auto imported = module.imported_function_count();
  const auto functions = module.functions();
  const auto names = module.function_names();
  const auto exports = module.exported_functions();
  const auto module_name = module.module_name();
  whole = imported && functions && names && exports && module_name;
  if (functions)
    for (const wasm::Function& function : *functions) total += function.offset + function.size;
  if (names)
    for (const wasm::FunctionName& name : *names) add(name.name);
  if (exports)
    for (const wasm::FunctionName& name : *exports) add(name.name);
  if (module_name) add(*module_name);
  return total;
}

}  // namespace symcached::testkit
