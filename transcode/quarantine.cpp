#include "transcode/quarantine.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

struct Kept {
  fs::file_time_type since;
  std::uint64_t bytes = 0;
  fs::path folder;
};

/// Folders that vanish meanwhile count for nothing.
std::vector<Kept> kept_in(const fs::path& place) {
  std::vector<Kept> all;
  std::error_code error;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Kept one{fs::last_write_time(at->path(), gone), 0, at->path()};
    for (fs::directory_iterator file(at->path(), gone), last; !gone && file != last; file.increment(gone)) {
      struct stat info{};
      if (::lstat(file->path().c_str(), &info) == 0) one.bytes += static_cast<std::uint64_t>(info.st_size);
    }
    if (!gone) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Quarantine::Taken Quarantine::take(const fs::path& file, std::string& where) {
  ++taken_;
  std::error_code error;
  fs::create_directories(place_, error);
  where = (place_ / "XXXXXX").string();
  if (::mkdtemp(where.data()) == nullptr) return Taken::still_there;
  if (::rename(file.c_str(), (fs::path(where) / file.filename()).c_str()) != 0) {
    ::rmdir(where.c_str());
    return Taken::still_there;
  }
  make_room();
  return fs::exists(where, error) ? Taken::kept : Taken::too_large;
}

void Quarantine::make_room() {
  const std::scoped_lock lock(mutex_);
  std::vector<Kept> all = kept_in(place_);
  std::ranges::sort(all, std::ranges::greater(), &Kept::since);
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  for (const Kept& one : all) {
    bytes += one.bytes;
    if (++files <= limits_.files && bytes <= limits_.bytes) continue;
    std::error_code ignored;
    fs::remove_all(one.folder, ignored);
  }
}

}  // namespace symcached::transcode
