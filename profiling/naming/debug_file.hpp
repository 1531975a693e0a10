#pragma once
/// Separate debug files on this machine, as GDB's manual says where they are ("Debugging Information in Separate
/// Files").
#include <optional>
#include <span>
#include <string>

#include "profiling/naming/elf_file.hpp"

namespace symcached::pprof {

inline constexpr char kDebugFolder[] = "/usr/lib/debug";

struct DebugFile {
  ElfFile file;
  std::string path;
};

/// The file with the debug information of `stripped`: by its build id, then by the name and checksum in .gnu_debuglink.
/// @param path     of `stripped`; debug links are looked for beside it
/// @param folders  as kDebugFolder
/// @return         nothing unless one is there whose build id, or whose checksum, is the one that is wanted
std::optional<DebugFile> find_debug_file(const ElfFile& stripped, const std::string& path,
                                         std::span<const std::string> folders);

}  // namespace symcached::pprof
