#pragma once
/// `.gnu_debuglink`: the name of the file that the debug sections were moved to.
#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/pe/reader.hpp"

namespace symcached::pe {

struct DebugLink {
  std::string_view file;    ///< name alone, unchecked; a view into the image
  std::uint32_t crc32 = 0;  ///< of the whole file named
};

/// @return nothing if the image has no such section
Read<std::optional<DebugLink>> debug_link(const Image& image);

}  // namespace symcached::pe
