#include "sources/module_type.hpp"

#include <algorithm>
#include <array>

namespace symcached::sources {
namespace {

constexpr std::array<std::string_view, 5> kNames{"pe", "pe_dotnet", "elf", "macho", "wasm"};

}  // namespace

std::string_view name_of(ModuleType type) { return kNames.at(static_cast<std::size_t>(type)); }

std::optional<ModuleType> parse_module_type(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ModuleType>(found - kNames.begin());
}

}  // namespace symcached::sources
