#include "fetch/cabinet.hpp"

#include <fmt/format.h>

#include "base/mapped_file.hpp"

namespace symcached::fetch {
namespace {

constexpr std::uint64_t kFreeRatio = 64 << 20;  ///< bytes that may unpack from any size

/// Why the cabinet is none that we take; empty if it is.
std::string objection(const mspack::Cabinet& cabinet, std::uint64_t packed, const Limits& limits) {
  if (cabinet.is_part_of_set()) return "part of a multi-cabinet set";
  if (cabinet.members().empty()) return "the archive is empty";
  if (cabinet.members().size() > 1) return "more than one member";
  const std::uint64_t size = cabinet.members()[0].size;
  if (size > limits.max_unpacked)
    return fmt::format("decompresses to {} bytes, over the limit of {}", size, limits.max_unpacked);
  if (size > kFreeRatio && size / limits.max_ratio > packed)
    return fmt::format("decompresses from {} to {} bytes, over the ratio limit of 1:{}", packed, size,
                       limits.max_ratio);
  return {};
}

}  // namespace

std::expected<void, FileError> unpack_cabinet(int file, std::uint64_t offset, const Limits& limits,
                                              const ByteSink& sink) {
  const auto bad = [](std::string why) { return std::unexpected(FileError{false, "cabinet: " + std::move(why)}); };
  const auto mapped = MappedFile::from_descriptor(file, "cabinet");
  if (!mapped) return std::unexpected(FileError{true, mapped.error()});
  if (mapped->bytes().size() < offset) return bad("truncated");
  const Bytes packed = mapped->bytes().subspan(static_cast<std::size_t>(offset));
  auto cabinet = mspack::Cabinet::open(packed);
  if (!cabinet) return bad(cabinet.error());
  if (auto why = objection(*cabinet, packed.size(), limits); !why.empty()) return bad(std::move(why));
  if (auto done = cabinet->extract(0, sink); !done) {
    if (done.error().by_sink) return std::unexpected(FileError{true, std::move(done.error().why)});
    return bad(std::move(done.error().why));
  }
  return {};
}

}  // namespace symcached::fetch
