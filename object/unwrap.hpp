#pragma once
/// Takes a file out of what it is compressed or packed in. docs/formats/wrappers.md
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/inflate_limits.hpp"
#include "object/common/file_info.hpp"

namespace symcached::object {

inline constexpr std::size_t kMaxWrappers = 3;  ///< one in another

struct Unwrapped {
  Buffer file;
  std::vector<FileKind> wrappers;  ///< from the outside in
  std::string member;              ///< name in the innermost archive, unchecked; empty = none of them names it
  InflateLimits inner;             ///< for what is compressed in the file: what the wrappers left of the limits
};

/// gzip, zstd, xz, zip, cab, szdd, kwaj. A source bundle is none: it is an archive, but of no debug file.
bool is_wrapper(FileKind kind);

/// @return nothing if the file is not wrapped; else what is inside all wrappers, of whatever kind; or a sentence why
///         that cannot be had: damaged, too large, too deep, or an archive without exactly one file of a known kind
/// @param limits  for all layers together
/// Cost: all of what is inside is held in memory.
std::expected<std::optional<Unwrapped>, std::string> unwrap(Bytes file, const InflateLimits& limits = {});

}  // namespace symcached::object
