#pragma once
/// What an entry of the cache is worth, for commands that look into the cache directory: by its head, or by every byte
/// that its readers rely on. Files are read, never mapped; nothing is changed.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "store/entry.hpp"

namespace symcached::service {

enum class EntryState : std::uint8_t {
  hit,
  absent,
  damaged,
  old,         ///< of an earlier version of its kind, or of another version of entries: never read again
  unreadable,  ///< no permission, an I/O error, no memory: nothing is known about it
};

struct EntryReport {
  EntryState state = EntryState::hit;
  store::Head head = {};  ///< empty where it could not be read
  std::string why = {};   ///< damaged, unreadable: what is wrong, one line
};

/// The head alone. @param name  of an entry below `directory`, as store::walk gives it
/// @return nothing if there is no such file (any more)
/// Cost: one open, one read of a page.
std::optional<EntryReport> look_at_entry(const std::filesystem::path& directory, const std::string& name);

/// The same, then the payload's checksum; of caches also everything in them, of originals their first bytes. Of kinds
/// and versions that this program has no reader for the checksums alone.
/// Cost: reads the file once; a cache is in memory meanwhile.
std::optional<EntryReport> check_entry(const std::filesystem::path& directory, const std::string& name);

}  // namespace symcached::service
