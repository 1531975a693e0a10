#pragma once
/// From WebAssembly modules to the model. What an address is there: docs/formats/wasm.md.
#include <optional>
#include <vector>

#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// As object::translate, for a module. An Rva is an offset in the file.
Read<void> translate_wasm(const Original& original, model::ModuleSink& sink);

/// As object::needed_files, for a module.
std::vector<NeedFile> needed_files_wasm(Bytes file, std::span<const Companion> companions);

/// As object::stated_image_base, for a module.
std::optional<std::uint64_t> image_base_wasm(Bytes file);

}  // namespace symcached::object
