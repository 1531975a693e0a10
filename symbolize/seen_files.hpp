#pragma once
/// Which files were looked for, so that a cache can tell later whether anything has changed.
#include <filesystem>
#include <span>
#include <vector>

#include "symbolize/kept_record.hpp"

namespace symcached::symbolize {

/// The file at `path` as it is now. Cost: one call to the system.
SeenFile look_at(const std::filesystem::path& path);

/// Whether each of them is as it was. Cost: one call to the system for each.
bool all_unchanged(std::span<const SeenFile> files);

class SeenFiles {
 public:
  static constexpr std::size_t kMost = 200'000;

  /// To be called before the file is opened. Places may repeat.
  void note(const std::filesystem::path& place);
  /// False: there were too many, and not all are known.
  bool is_whole() const { return is_whole_; }
  const std::vector<SeenFile>& files() const { return files_; }
  std::vector<SeenFile> take() { return std::move(files_); }

 private:
  std::vector<SeenFile> files_;
  bool is_whole_ = true;
};

}  // namespace symcached::symbolize
