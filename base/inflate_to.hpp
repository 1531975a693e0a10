#pragma once
/// Compressed files of any size to plain bytes, as a stream into a sink.
#include <cstdint>

#include "base/byte_sink.hpp"
#include "base/decompress.hpp"

namespace symcached {

/// All of `packed` has to be one stream, or several gzip members, zstd frames or .xz streams one behind the other;
/// zeros may follow gzip. Checksums are compared, so what the sink was given before an error is worth nothing.
/// @param codec  not deflate, which has no end of its own
/// @param limit  of plain bytes; one more is an error
/// Memory: 0.4 MB; zstd and xz what the stream asks for besides, at most 128 MB and 256 MB.
/// Cost: about 0.6 GB/s; xz 0.1 GB/s.
std::expected<void, UnpackFailure> inflate_to(Codec codec, Bytes packed, std::uint64_t limit, const ByteSink& sink);

}  // namespace symcached
