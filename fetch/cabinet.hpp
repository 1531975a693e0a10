#pragma once
/// The one member of a cabinet, unpacked as a stream.
#include <cstdint>
#include <expected>
#include <string>

#include "base/mspack.hpp"
#include "fetch/limits.hpp"

namespace symcached::fetch {

using mspack::ByteSink;

/// Why a file could not be read as what it should be.
struct FileError {
  bool ours;  ///< this machine failed (the sink, memory, descriptors); otherwise the file is bad
  std::string why;
};

/// Unpacks the cabinet that lies in `file`, which nobody writes any more, from `offset` on. The member's name is
/// ignored. Memory: a few hundred KiB, whatever the size. More than one member, a cabinet of a set, or one over the
/// limits is refused before anything is written.
std::expected<void, FileError> unpack_cabinet(int file, std::uint64_t offset, const Limits& limits,
                                              const ByteSink& sink);

}  // namespace symcached::fetch
