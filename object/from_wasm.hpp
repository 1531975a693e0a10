#pragma once
/// From WebAssembly modules to the model. What an address is there: docs/formats/wasm.md.
#include <vector>

#include "object/translate.hpp"

namespace symcached::object {

/// As object::translate, for a module. An Rva is an offset in the file.
Read<void> translate_wasm(const Original& original, model::ModuleSink& sink);

/// As object::needed_files, for a module.
std::vector<NeedFile> needed_files_wasm(Bytes file, std::span<const Companion> companions);

}  // namespace symcached::object
