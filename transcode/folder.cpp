#include "transcode/folder.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>

namespace symcached::transcode {

Descriptor open_folder(int parent, const char* name) {
  return Descriptor(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool read_folder(int folder, const std::function<void(const char* name)>& visit) {
  Descriptor again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(again ? ::fdopendir(again.get()) : nullptr, &::closedir);
  if (!listing) return false;
  again.release();
  errno = 0;
  while (const dirent* next = ::readdir(listing.get())) {
    if (next->d_name[0] != '.') visit(next->d_name);
    errno = 0;
  }
  return errno == 0;
}

std::optional<struct stat> look_at(int folder, const char* name) {
  struct stat info{};
  if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info;
}

}  // namespace symcached::transcode
