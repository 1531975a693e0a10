#include "app/pdb_key.hpp"

#include <fmt/format.h>

#include <optional>

#include "wpt/version.hpp"

namespace symcached::app {

std::expected<client::SymcacheKey, std::string> pdb_key_of(const std::string& name, const std::string& id,
                                                           const std::string* age) {
  if (const auto guid = Guid::parse(id)) {
    const auto number = age == nullptr ? std::optional(1u) : wpt::parse_decimal(*age);
    if (!number) return std::unexpected(fmt::format("\"{}\" is no age: write it in decimal", *age));
    return client::SymcacheKey{name, {*guid, *number}};
  }
  const auto both = age == nullptr ? DebugId::parse(id) : std::nullopt;
  if (both) return client::SymcacheKey{name, *both};
  return std::unexpected(fmt::format("\"{}\" is no id of a PDB: write its GUID, and its age after it", id));
}

}  // namespace symcached::app
