#pragma once
/// Putting an original where a program of others can open it by name. Private to `transcode/`.
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/descriptor.hpp"

namespace symcached::transcode {

/// A PDB: part of an open file, such as the payload of an entry of the cache.
struct Original {
  std::shared_ptr<const Descriptor> file;
  std::uint64_t offset = 0, size = 0;  ///< bytes
};

/// A copy, which shares the blocks where the file system can; no link: the program might write to it.
/// @return 0, or errno
int place(const Original& original, const std::filesystem::path& target);

}  // namespace symcached::transcode
