#pragma once
/// Compressed bytes to plain ones, in memory. What is inside is as hostile as what is outside: sizes are checked before
/// memory is taken, and a stream that gives more than it may is refused.
#include <cstdint>
#include <string_view>

#include "base/buffer.hpp"

namespace symcached {

enum class Codec : std::uint8_t { deflate, zlib, gzip, zstd, xz };
std::string_view name_of(Codec codec);

/// No honest section or file comes out more than this many times as large (deflate itself ends at 1032).
inline constexpr std::uint64_t kMaxExpansion = 1100;

/// @param size   of the plain bytes, exactly; a stream that gives more or fewer is refused, as is a size that no stream
///               of this length could give
/// @param field  names the bytes in errors: "elf.debug_info"
/// Cost: one pass; libdeflate or zstd, about 1 GB/s of plain bytes.
Read<Buffer> decompress(Codec codec, Bytes data, std::uint64_t size, std::string_view field);

/// The same for streams that do not say how much they hold: gzip files (of several members, too), .xz, .zst.
/// @param limit  of plain bytes; one more is refused as too large
Read<Buffer> decompress_whole(Codec codec, Bytes data, std::uint64_t limit, std::string_view field);

}  // namespace symcached
