#pragma once
/// A walk through the cache directory, for what the journal does not tell: files that others put or deleted.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>

#include "store/quotas.hpp"

namespace symcached::store {

struct Surveyed {
  std::size_t found = 0;  ///< entries that were not known
  std::size_t gone = 0;   ///< entries that were known and have no file
};

/// Called after each folder of entries (some 250 for each kind and scope) with the time it took.
/// @return whether to go on
using Pace = std::function<bool(std::chrono::steady_clock::duration took)>;

/// Cost: a system call or four an entry; one that is not known is opened, and its head is read. What is no entry by its
/// name, or is a symbolic link, is left alone.
/// @return nothing if it was stopped; then nothing counts as gone
std::optional<Surveyed> survey(const std::filesystem::path& directory, Quotas& quotas, const Pace& pace);

/// Of those that hold entries; of no others.
/// @return how many folders were removed
std::size_t remove_empty_folders(const std::filesystem::path& directory);

}  // namespace symcached::store
