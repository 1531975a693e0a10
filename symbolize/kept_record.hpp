#pragma once
/// What the user's cache keeps behind a symcache: the files that it depends on. Spec: docs/formats/kept-symcache.md.
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::symbolize {

/// A file as it was before it was read, or a place where one was looked for and none was.
struct SeenFile {
  std::string path;  ///< absolute
  bool is_there = false;
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0;  ///< since 1970

  bool operator==(const SeenFile&) const = default;
};

struct KeptRecord {
  std::vector<SeenFile> seen;         ///< the file itself is not among them: its key names it
  std::vector<std::string> warnings;  ///< OpenedModule::warnings() when the symcache was made

  bool operator==(const KeptRecord&) const = default;
};

/// @return what is to follow the symcache's bytes
std::vector<std::byte> write_kept_record(const KeptRecord& record);

struct KeptSymcache {
  Bytes symcache;  ///< in the payload, not looked at
  KeptRecord record;
};
/// Cost: linear in the number of files seen.
Read<KeptSymcache> read_kept_symcache(Bytes payload);

}  // namespace symcached::symbolize
