#pragma once
/// What kinds of modules programs are made of, in the words of Symbolicator's protocol.
#include <cstdint>
#include <optional>
#include <string_view>

namespace symcached::sources {

enum class ModuleType : std::uint8_t { pe, pe_dotnet, elf, macho, wasm };
std::string_view name_of(ModuleType type);
std::optional<ModuleType> parse_module_type(std::string_view name);

}  // namespace symcached::sources
