#include "store/reading.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "store/lookup.hpp"

namespace symcached::store {
namespace {

constexpr std::size_t kReadSize = 256 * 1024;  ///< bytes a read while a payload is checked

/// @return how many bytes were there, or errno
std::expected<std::size_t, int> read_at(int file, std::span<std::byte> into, std::uint64_t offset) {
  for (;;) {
    const ssize_t n = ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return std::unexpected(errno);
  }
}

}  // namespace

std::expected<Read<Head>, int> examine_head(int file, std::uint64_t file_size) {
  std::array<std::byte, kPayloadOffset> page;
  const auto n = read_at(file, page, 0);
  if (!n) return std::unexpected(n.error());
  return read_head(Bytes(page).first(*n), file_size);
}

std::expected<std::optional<Head>, int> read_head_of(int file, std::uint64_t file_size) {
  auto head = examine_head(file, file_size);
  if (!head) return std::unexpected(head.error());
  return *head ? std::optional(std::move(**head)) : std::nullopt;
}

std::expected<std::vector<std::byte>, int> read_start(int file, const Head& head, std::size_t most) {
  std::vector<std::byte> start(static_cast<std::size_t>(std::min<std::uint64_t>(most, head.payload_size)));
  const auto n = read_at(file, start, kPayloadOffset);
  if (!n) return std::unexpected(n.error());
  start.resize(*n);
  return start;
}

std::expected<bool, int> payload_holds(int file, const Head& head) {
  Sha256Hasher hasher;
  std::vector<std::byte> buffer(kReadSize);
  std::uint64_t at = 0;
  while (at < head.payload_size) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kReadSize, head.payload_size - at));
    const auto n = read_at(file, std::span(buffer).first(wanted), kPayloadOffset + at);
    if (!n) return std::unexpected(n.error());
    if (*n == 0) return false;
    hasher.update(Bytes(buffer).first(*n));
    at += *n;
  }
  return hasher.finish() == head.payload_sha256;
}

namespace {

/// Fills `into` from `offset` of the payload on. @return nothing, or a sentence
std::expected<void, std::string> fill(const Entry& entry, std::span<std::byte> into, std::uint64_t offset) {
  while (!into.empty()) {
    const auto n = read_at(entry.file().get(), into, kPayloadOffset + offset);
    if (!n)
      return std::unexpected(
          fmt::format("{}: cannot read its cache entry: {}", entry.head().key, std::strerror(n.error())));
    if (*n == 0) return std::unexpected(fmt::format("{}: its cache entry was cut", entry.head().key));
    into = into.subspan(*n);
    offset += *n;
  }
  return {};
}

}  // namespace

std::expected<Buffer, std::string> read_part(const Entry& entry, std::uint64_t offset, std::uint64_t size) {
  if (offset > entry.size() || size > entry.size() - offset)
    return std::unexpected(fmt::format("{}: its cache entry has no such part", entry.head().key));
  Buffer part(static_cast<std::size_t>(size));
  if (auto filled = fill(entry, {part.data(), part.size()}, offset); !filled) return std::unexpected(filled.error());
  return part;
}

std::expected<std::vector<std::byte>, std::string> read_payload(const Entry& entry) {
  std::vector<std::byte> payload(static_cast<std::size_t>(entry.size()));
  if (auto filled = fill(entry, payload, 0); !filled) return std::unexpected(std::move(filled.error()));
  if (sha256(payload) != entry.head().payload_sha256)
    return std::unexpected(fmt::format("{}: its cache entry was changed", entry.head().key));
  return payload;
}

}  // namespace symcached::store
