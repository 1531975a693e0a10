#pragma once
/// Whose a directory is: a marker file says that it is a cache of ours, a lock on it says that somebody uses it.
#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace symcached::store {

inline constexpr std::string_view kMarkerName = ".symcached";
inline constexpr std::string_view kMarkerText = "symcached cache directory, format 1; its contents may be deleted\n";
/// The Cache Directory Tagging Specification's file: backup programs leave such a directory out.
inline constexpr std::string_view kTagName = "CACHEDIR.TAG";
inline constexpr std::string_view kTagText =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file is a cache directory tag created by symcached.\n"
    "# For information about cache directory tags see https://bford.info/cachedir/\n";

enum class Owned : std::uint8_t {
  unknown,  ///< only a marker, or an empty directory, is ours
  before,   ///< this run has adopted this very directory; somebody deleted the marker
};

/// Holds a shared lock on the marker of a directory for as long as it lives.
class Marker {
 public:
  /// Takes over an empty directory and creates a missing one. Waits while somebody has the directory for themselves,
  /// which is for as long as it takes to remove left-overs. A file system without locks is used without.
  /// @return the marker, or a sentence: the directory has other things in it, is none, or cannot be written to
  static std::expected<Marker, std::string> adopt(const std::filesystem::path& directory, Owned owned);

  /// Whether the marker we hold is still there by name. Cost: one call to the system.
  bool in_place() const;
  /// Whether the directory of that name is still the one that was adopted.
  bool same_directory() const;

 private:
  friend class SoleUse;
  struct FileId {
    dev_t device;
    ino_t inode;
    bool operator==(const FileId&) const = default;
  };
  static bool is(const std::filesystem::path& path, const FileId& id);
  Marker(std::filesystem::path directory, Descriptor folder, Descriptor file);

  std::filesystem::path directory_;
  Descriptor folder_;  ///< the directory; who holds its lock may change the lock on the marker
  Descriptor file_;    ///< the marker, locked
  FileId folder_id_{}, file_id_{};
};

/// Tries to be the only user of a directory. Changing a lock gives it up for an instant; so that nobody becomes the
/// only user in that instant, the directory itself is locked meanwhile.
class SoleUse {
 public:
  explicit SoleUse(const Marker& marker);
  SoleUse(const SoleUse&) = delete;
  SoleUse& operator=(const SoleUse&) = delete;
  ~SoleUse();
  explicit operator bool() const { return sole_; }

 private:
  const Marker& marker_;
  bool guarded_ = false;
  bool sole_ = false;
};

}  // namespace symcached::store
