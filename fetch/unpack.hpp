#pragma once
/// The one file inside of a packed one, as a stream. docs/formats/wrappers.md
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_sink.hpp"
#include "fetch/limits.hpp"
#include "sources/file_type.hpp"

namespace symcached::fetch {

enum class Wrapper : std::uint8_t { cabinet, gzip, zlib, zstd, xz, zip, szdd, kwaj };
std::string_view name_of(Wrapper wrapper);

/// A file may be packed so many times: a cabinet in a zip. Who unpacks asks wrapper_of() of what came out.
inline constexpr unsigned kMaxWrappers = 2;
inline constexpr std::size_t kWrapperStart = 8;  ///< bytes that wrapper_of() looks at

/// What a file that starts so is packed in. Nothing: it is not packed, or it is what is wanted as it lies, which a
/// source bundle is in its zip.
std::optional<Wrapper> wrapper_of(Bytes start, sources::FileType wanted);

/// Why a file could not be read as what it should be.
struct FileError {
  bool ours;  ///< this machine failed (the sink, memory, descriptors); otherwise the file is bad
  std::string why;
};

/// Plain bytes that may come out of so many packed ones: max_unpacked, and max_ratio beyond the first 64 MiB. Of a file
/// that is packed twice the outermost bytes count, so this becomes max_unpacked for what is inside.
std::uint64_t allowed_from(std::uint64_t packed, const Limits& limits);

/// One layer taken off. What the sink was given before an error is worth nothing. The name that an archive has for its
/// file is ignored. An archive of several files, or a cabinet of a set, is refused before anything is written.
/// Memory: 0.5 MB whatever the size; zstd and xz up to 256 MB besides, where the stream asks for it.
std::expected<void, FileError> unpack(Wrapper wrapper, Bytes packed, const Limits& limits, const ByteSink& sink);
/// The same of what lies in `file`, which nobody writes any more, from `offset` on.
std::expected<void, FileError> unpack(Wrapper wrapper, int file, std::uint64_t offset, const Limits& limits,
                                      const ByteSink& sink);

}  // namespace symcached::fetch
