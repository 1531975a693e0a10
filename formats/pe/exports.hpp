#pragma once
/// The export directory: names and ordinals of what other images may call.
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/pe/reader.hpp"

namespace symcached::pe {

/// The name is a view into the file.
struct Export {
  std::string_view name;      ///< empty: by ordinal alone
  std::uint32_t ordinal = 0;  ///< with the directory's base
  std::uint32_t rva = 0;

  bool operator==(const Export&) const = default;
};

/// More addresses than ordinals, which have 16 bits.
inline constexpr std::uint32_t kMaxExports = 1u << 16;
/// One address may have several names.
inline constexpr std::uint32_t kMaxExportNames = 1u << 20;

/// What the image itself defines, code and data: in the order of the names, then what has none by ordinal. Forwarders
/// to other images are left out.
/// @return empty if the image exports nothing
Read<std::vector<Export>> read_exports(const Image& image);

}  // namespace symcached::pe
