#pragma once
/// Reads archives of object files (.a, .lib, .rlib), plain and thin, with the names of GNU, BSD and Microsoft.
/// Spec: docs/formats/archives.md.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::ar {

inline constexpr std::string_view kMagic = "!<arch>\n";
inline constexpr std::string_view kThinMagic = "!<thin>\n";  ///< the members are files of their own
inline constexpr std::size_t kLongestName = 4096;            ///< a longer one is cut

struct Member {
  std::string_view name;       ///< unchecked; in a thin archive a path, from the archive's folder on
  std::uint64_t modified = 0;  ///< seconds since 1970
  std::uint64_t size = 0;      ///< bytes, as stated
  Bytes file;                  ///< in a thin archive empty
};

struct Archive {
  bool is_thin = false;
  std::vector<Member> members;  ///< in the file's order, without symbol and name tables; several may have one name
};

bool is_archive(Bytes file);

/// Cost: one step a member; 64 bytes of memory for each.
Read<Archive> read_archive(Bytes file);

}  // namespace symcached::ar
