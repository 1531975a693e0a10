#pragma once
/// How much a cache directory may hold, and for how long.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace symcached::store {

/// Free space that is left to others: so many bytes, or that part of the file system.
struct FreeSpace {
  std::uint64_t bytes = 0;
  double percent = 0;  ///< 0 to 100; the larger of both counts
};

/// Of all entries, or of those of one kind.
struct Quota {
  std::optional<std::uint64_t> max_size = {};  ///< bytes on disk; nothing: no bound of its own
  FreeSpace min_free = {};
};

struct KindLimits {
  Quota quota = {};
  std::optional<std::chrono::seconds> max_unused_for = {};  ///< nothing: as for all
};

struct CacheLimits {
  Quota total = {.max_size = std::uint64_t{20} << 30, .min_free = {.percent = 5}};
  std::optional<std::chrono::seconds> max_unused_for = std::chrono::days(7);  ///< nothing: for ever
  std::chrono::seconds max_absent_for = std::chrono::hours(1);                ///< since the sources were asked
  std::map<std::string, KindLimits, std::less<>> kinds = {};                  ///< by the name of the kind
};

}  // namespace symcached::store
