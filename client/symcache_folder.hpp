#pragma once
/// A SymCache directory as a client sees it: the best that it has of a PDB, and putting more there.
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ids/guid.hpp"
#include "transcode/directory.hpp"

namespace symcached::client {

struct SymcacheKey {
  std::string pdb_name;
  DebugId id;
};

struct Kept {
  std::filesystem::path path;
  wpt::Version version;
  bool is_new = false;
  std::string warning = {};  ///< what did not go well on the way; one line
};

/// Names of keys are checked. Safe to use from any thread.
class SymcacheFolder {
 public:
  /// Creates it if it is missing. @return the folder, or what is wrong with it
  static std::expected<std::unique_ptr<SymcacheFolder>, std::string> open(const std::filesystem::path& path);

  /// The highest version that whoever asks for `requested` can read. Damaged files that we wrote do not count.
  /// Cost: reads all of it the first time.
  std::optional<Kept> best(const SymcacheKey& key, const wpt::Version& requested) const;
  /// Puts a file of a job or of a part in place, unless that version is there.
  /// @return the best there is then, or why it could not be put there
  std::expected<Kept, std::string> keep(const std::filesystem::path& file, const SymcacheKey& key,
                                        const wpt::Version& version);
  /// The same for the best that another folder has.
  std::expected<Kept, std::string> copy(const SymcacheFolder& from, const SymcacheKey& key,
                                        const wpt::Version& requested);

  transcode::SymcacheDirectory& directory() { return *directory_; }
  std::string shown() const { return directory_->path().string(); }

 private:
  explicit SymcacheFolder(std::unique_ptr<transcode::SymcacheDirectory> directory) : directory_(std::move(directory)) {}
  transcode::SharedSymcache open_best(const SymcacheKey& key, const wpt::Version& requested) const;

  const std::unique_ptr<transcode::SymcacheDirectory> directory_;
};

}  // namespace symcached::client
