#pragma once
/// The checksum of a sourcecache's parts. Private to `sourcecache/`.
#include <xxhash.h>

#include <cstdint>

#include "base/bytes.hpp"

namespace symcached::sourcecache {

inline std::uint64_t checksum_of(Bytes bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace symcached::sourcecache
