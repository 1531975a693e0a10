#pragma once
/// The one member of a cabinet, unpacked as a stream.
#include <cstdint>
#include <expected>
#include <string>

#include "base/mspack.hpp"
#include "fetch/outcome.hpp"

namespace symcached::fetch {

using mspack::ByteSink;

struct UnpackError {
  bool ours;  ///< the sink failed (disk space, most often); otherwise the cabinet is bad
  std::string why;
};

/// Unpacks the cabinet that lies in `file`, which nobody writes any more, from `offset` on. The member's name is
/// ignored. Memory: a few hundred KiB, whatever the size. More than one member, a cabinet of a set, or one over the
/// limits is refused before anything is written.
std::expected<void, UnpackError> unpack_cabinet(int file, std::uint64_t offset, const Limits& limits,
                                                const ByteSink& sink);

}  // namespace symcached::fetch
