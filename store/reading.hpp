#pragma once
/// Reading an open entry: its head, and whether its payload is what the head says.
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "store/entry.hpp"

namespace symcached::store {

/// @return the head or why it does not hold; or errno
std::expected<Read<Head>, int> examine_head(int file, std::uint64_t file_size);
/// @return the head, nothing if it does not hold, or errno
std::expected<std::optional<Head>, int> read_head_of(int file, std::uint64_t file_size);
/// Reads, not maps: a file that somebody cuts while we look at it must not raise a signal.
/// @return whether it holds (a file that ends early does not), or errno
std::expected<bool, int> payload_holds(int file, const Head& head);

class Entry;
/// The first bytes of a payload, at most `most`, or errno. They may be others than the head was written for.
std::expected<std::vector<std::byte>, int> read_start(int file, const Head& head, std::size_t most);
/// A part of a payload. They may be others than the head was written for.
/// @return exactly `size` bytes from `offset` on, or a sentence
std::expected<Buffer, std::string> read_part(const Entry& entry, std::uint64_t offset, std::uint64_t size);
/// The payload in memory, where nobody who cuts or changes the file can hurt whoever looks at it.
/// @return the bytes, which are those the head was written for, or a sentence
/// Cost: one copy and one SHA-256 of them.
std::expected<std::vector<std::byte>, std::string> read_payload(const Entry& entry);

}  // namespace symcached::store
