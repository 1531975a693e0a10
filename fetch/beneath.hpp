#pragma once
/// Files below a directory, opened so that no link leads out of it.
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.hpp"

namespace symcached::fetch {

struct OpenFailure {
  enum class Kind : std::uint8_t {
    not_there,
    leaves,  ///< it is a link that leaves the directory, or one that is never followed
    system,  ///< errno says what
  } kind;
  int error = 0;
};

/// `relative`, an ordinary path, opened for reading; what it is, is not looked at, and nothing is waited for. A link is
/// followed as long as it stays below the directory, an absolute one if its target lies below `path`.
/// @param directory  open
/// @param path       of the same directory, canonical
std::expected<Descriptor, OpenFailure> open_beneath(int directory, const std::filesystem::path& path,
                                                    const std::string& relative);

/// A directory that stays open. Safe to use from any thread.
class DirectoryRoot {
 public:
  /// @param path  canonical
  explicit DirectoryRoot(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// The directory that has the path now: opened again when it was replaced or mounted over. errno where there is none.
  std::expected<std::shared_ptr<const Descriptor>, int> get();

 private:
  const std::filesystem::path path_;
  std::mutex mutex_;
  std::shared_ptr<const Descriptor> opened_;
};

}  // namespace symcached::fetch
