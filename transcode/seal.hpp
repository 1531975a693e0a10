#pragma once
/// What we write beside a file of ours, where the file system has extended attributes: how long it is and the digest
/// of its content, as user.symcached.size (decimal) and user.symcached.sha256 (hex). Private to `transcode/`.
#include <cstdint>
#include <memory>
#include <optional>

#include "store/entry.hpp"

namespace symcached::transcode {

struct Seal {
  std::uint64_t size = 0;  ///< bytes
  store::Sha256 digest{};
  bool operator==(const Seal&) const = default;
};

/// For store::CheckedFiles.
std::shared_ptr<const store::Head> head_of(const Seal& seal);

/// Of the file's content, read to its end. Nothing if it cannot be read.
std::optional<Seal> content_seal(int file);

/// Nothing if there is none, or none that we wrote.
std::optional<Seal> read_seal(int file);
/// Where that is not possible, nothing happens.
void write_seal(int file, const Seal& seal);

}  // namespace symcached::transcode
