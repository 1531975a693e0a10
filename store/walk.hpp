#pragma once
/// Goes through a cache directory: every entry, and what is there besides. Changes nothing itself.
#include <sys/stat.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "store/entry.hpp"
#include "store/entry_name.hpp"

namespace symcached::store {

/// A regular file where an entry belongs; its head was not looked at. Valid during the call that hands it out.
struct FoundEntry {
  std::string_view name;  ///< "symcaches/v1/global/ab/cdef...", parses
  Place place;
  struct stat info;
  int folder;  ///< descriptor of the directory that it is in

  /// What it is called there; ends with a zero.
  const char* leaf() const { return name.data() + name.rfind('/') + 1; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(info.st_size); }  ///< bytes of the file, with its head
  TimePoint last_use() const;
};

/// A directory once all in it was visited: "ab" in "symcaches/v1/global", "global" in "symcaches/v1", …
struct LeftFolder {
  int parent;          ///< descriptor
  const char* leaf;    ///< its name there
  bool holds_entries;  ///< rather than directories
};

/// Any of these may be missing.
struct Visitor {
  std::function<void(const FoundEntry& entry)> entry = {};
  // Names are relative to the cache directory and unchecked: for messages alone.
  /// What is no entry and leads to none: another name, a symbolic link.
  std::function<void(const std::string& name, std::string_view what)> other = {};
  /// What could not be looked at, and errno's text.
  std::function<void(const std::string& name, std::string_view why)> unreadable = {};
  /// @return whether to go on
  std::function<bool(const LeftFolder& folder)> left = {};
};

/// In the order of the file system, which is none. Symbolic links are not followed, tmp/ and the files that make the
/// directory a cache are left out; what vanishes meanwhile is no fault.
/// @return whether it went to the end, or a sentence: it is no directory, not marked as a cache, or cannot be read
/// Cost: one stat an entry; holds five open directories, no lists.
std::expected<bool, std::string> walk(const std::filesystem::path& directory, const Visitor& visitor);

}  // namespace symcached::store
