#include "symbolize/seen_files.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace symcached::symbolize {

SeenFile look_at(const std::filesystem::path& path) {
  struct stat info{};
  SeenFile seen{.path = path.native()};
  if (::stat(path.c_str(), &info) != 0) return seen;
  seen.is_there = true;
  seen.size = static_cast<std::uint64_t>(info.st_size);
  seen.inode = info.st_ino;
  seen.modified_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return seen;
}

bool all_unchanged(std::span<const SeenFile> files) {
  return std::ranges::all_of(files, [](const SeenFile& file) { return look_at(file.path) == file; });
}

void SeenFiles::note(const std::filesystem::path& place) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(place, error);
  is_whole_ = is_whole_ && !error && files_.size() < kMost;
  if (is_whole_) files_.push_back(look_at(path));
}

}  // namespace symcached::symbolize
