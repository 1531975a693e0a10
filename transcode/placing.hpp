#pragma once
/// Putting a copy of an open file where others can open it by name.
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/descriptor.hpp"

namespace symcached::transcode {

/// Part of an open file, such as the payload of an entry of the cache.
struct Original {
  std::shared_ptr<const Descriptor> file;
  std::uint64_t offset = 0, size = 0;  ///< bytes
};

/// A copy, which shares the blocks where the file system can; no link: the program might write to it.
/// @param target  not there yet
/// @return 0, or errno
int place(const Original& original, const std::filesystem::path& target, mode_t mode = 0600);

}  // namespace symcached::transcode
