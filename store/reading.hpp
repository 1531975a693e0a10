#pragma once
/// Reading an open entry: its head, and whether its payload is what the head says.
#include <expected>
#include <optional>

#include "store/entry.hpp"

namespace symcached::store {

/// @return the head, nothing if it does not hold, or errno
std::expected<std::optional<Head>, int> read_head_of(int file, std::uint64_t file_size);
/// Reads, not maps: a file that somebody cuts while we look at it must not raise a signal.
/// @return whether it holds (a file that ends early does not), or errno
std::expected<bool, int> payload_holds(int file, const Head& head);

}  // namespace symcached::store
