#pragma once
/// What a file is asked for by, beside its name.
#include <compare>
#include <cstdint>
#include <optional>
#include <variant>

#include "ids/guid.hpp"

namespace symcached::sources {

/// Names a Portable PDB. No key of a symbol server holds the stamp; what arrives is compared with it.
struct PortableId {
  Guid guid;
  std::optional<std::uint32_t> stamp = {};  ///< the last 4 of the 20 id bytes; nothing = not known

  auto operator<=>(const PortableId&) const = default;
  /// @param id  its age is the stamp; 0xFFFFFFFF, which keys have in its place, says that it is not known
  static PortableId of(const DebugId& id) {
    return {id.guid, id.age == 0xFFFFFFFF ? std::nullopt : std::optional(id.age)};
  }
};

/// Names a PE image, as assemblies are.
struct ImageId {
  std::uint32_t timestamp = 0;
  std::uint32_t size = 0;  ///< bytes once loaded

  auto operator<=>(const ImageId&) const = default;
};

/// A DebugId names a PDB of native code.
using FileId = std::variant<DebugId, PortableId, ImageId>;

}  // namespace symcached::sources
