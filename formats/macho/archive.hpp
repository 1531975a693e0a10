#pragma once
/// Reads static libraries (ar archives with BSD's names), which debug maps name object files in.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::macho {

inline constexpr std::string_view kArchiveMagic = "!<arch>\n";

struct ArchiveMember {
  std::string_view name;
  std::uint64_t modified = 0;  ///< seconds since 1970
  Bytes file;
};

/// The members in the order of the file. Names may be there several times. Cost: one step a member.
Read<std::vector<ArchiveMember>> read_archive(Bytes file);

}  // namespace symcached::macho
