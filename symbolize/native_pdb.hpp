#pragma once
/// The PDB of a native program or library, where linkers leave it: beside the image.
#include <filesystem>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "symbolize/seen_files.hpp"

namespace symcached::symbolize {

struct NativePdb {
  std::optional<std::filesystem::path> path;  ///< of a PDB of the same build
  std::string warning;                        ///< why there is none where one would help; empty = nothing to say
};

/// Looks beside `file` for the PDB that its image names. An image with DWARF needs none, nor does any other file.
/// @param bytes  content of `file`
/// @param seen   notes every place that was looked at; null: nobody wants to know
NativePdb find_native_pdb(const std::filesystem::path& file, Bytes bytes, SeenFiles* seen = nullptr);

}  // namespace symcached::symbolize
