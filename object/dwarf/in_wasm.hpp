#pragma once
/// What a WebAssembly module says of itself that translation and description both need.
#include <optional>

#include "formats/dwarf/sections.hpp"
#include "formats/wasm/reader.hpp"
#include "ids/guid.hpp"

namespace symcached::object {

/// The DWARF sections, in place. In object files, what a linker would change already holds its value in the file.
dwarf::Sections dwarf_of(const wasm::Module& module);

/// The split DWARF of a .dwo file or a package, in place.
dwarf::Sections split_dwarf_of(const wasm::Module& module);

/// The first 16 bytes of the build id in their order; nothing if it has fewer.
std::optional<DebugId> debug_id_of(const wasm::Module& module);

/// An object file, to be linked.
bool is_object_file(const wasm::Module& module);

inline constexpr std::size_t kMaxBuildId = 64;  ///< bytes of a build id that are shown
inline constexpr std::string_view kExternalDebugInfo = "external_debug_info";

}  // namespace symcached::object
