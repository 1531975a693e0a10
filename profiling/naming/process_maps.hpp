#pragma once
/// /proc/self/maps: what is mapped where.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::pprof {

/// One line of it.
struct MapsLine {
  std::uintptr_t begin = 0, end = 0;
  bool is_executable = false;
  std::uint64_t offset = 0, inode = 0;
  std::string path;  ///< as the kernel writes it: "[vdso]", "/usr/lib/x.so (deleted)"; empty if there is none

  /// Whether it is a file that can be looked for by that path: not of memory that only looks like one.
  bool is_file() const;
};

/// Lines that are none are left out.
std::vector<MapsLine> parse_maps(std::string_view text);

/// Cost: the kernel writes about a million lines a second.
std::vector<MapsLine> read_maps();

inline constexpr std::string_view kDeleted = " (deleted)";

}  // namespace symcached::pprof
