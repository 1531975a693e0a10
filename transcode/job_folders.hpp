#pragma once
/// Folders for the files of one job each, on the disk of the directory that their results go to.
#include <cstddef>
#include <expected>
#include <filesystem>
#include <mutex>

#include "base/descriptor.hpp"
#include "store/files.hpp"

namespace symcached::transcode {

/// Removed with all it holds when dropped. Links in it are removed, not followed.
class JobFolder {
 public:
  JobFolder() = default;
  explicit JobFolder(std::filesystem::path path) : path_(std::move(path)) {}
  JobFolder(JobFolder&& other) noexcept : path_(std::exchange(other.path_, std::filesystem::path())) {}
  JobFolder& operator=(JobFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~JobFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  ///< empty: none
};

/// <place>/<run>/<job>, both with random names. Each run holds a lock for as long as it lives, so another knows which
/// are left over. Nothing is created before the first job. Safe to use from any thread.
class JobFolders {
 public:
  explicit JobFolders(std::filesystem::path place) : place_(std::move(place)) {}
  JobFolders(const JobFolders&) = delete;
  JobFolders& operator=(const JobFolders&) = delete;
  ~JobFolders();

  std::expected<JobFolder, store::Failure> create();
  /// Removes the folders of runs that have ended. Where the file system has no locks, none. @return how many
  std::size_t remove_left_overs();

 private:
  std::expected<void, store::Failure> start_run();

  const std::filesystem::path place_;
  std::mutex mutex_;
  std::filesystem::path run_;  ///< empty: not started
  Descriptor lock_;
};

}  // namespace symcached::transcode
