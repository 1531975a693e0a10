#pragma once
/// The sections of one file that hold DWARF, whatever container they came in.
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::dwarf {

/// Uncompressed and, in object files, relocated. Views: whoever opened the file keeps the bytes.
struct Sections {
  Bytes info, types, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
  Bytes cu_index, tu_index;      ///< of a package (.dwp)
  std::uint64_t info_start = 0;  ///< where `info` starts in the file's section, if it is a part of that: for errors
  bool big_endian = false;
  bool split = false;  ///< the sections are those of a .dwo file or a .dwp package
};

/// Which section a name means.
struct SectionName {
  Bytes Sections::* member = nullptr;  ///< null: none of ours
  bool split = false;                  ///< the name ends in ".dwo", or is that of a package's index
  bool gnu_compressed = false;         ///< ".zdebug_…": "ZLIB", 8 bytes of big-endian size, a zlib stream
};

/// Knows ".debug_info", ".zdebug_info", ".debug_info.dwo", Mach-O's "__debug_info" (cut to 16 characters),
/// ".debug_cu_index".
SectionName section_named(std::string_view name);

}  // namespace symcached::dwarf
