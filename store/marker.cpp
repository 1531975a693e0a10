#include "store/marker.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace symcached::store {
namespace {

namespace fs = std::filesystem;

std::unexpected<std::string> refuse(const fs::path& directory, std::string_view what) {
  return std::unexpected(fmt::format("cache directory {}: {}", directory.string(), what));
}

bool lock(int file, int how) {
  int done = 0;
  do done = ::flock(file, how);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

/// A name in the directory that says that it is not empty; an empty string if it is. A file system of its own has a
/// lost+found from the start.
std::string any_name_in(int folder) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (!listing) return "(not readable)";
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && name != "lost+found") return std::string(name);
  }
  return {};
}

Descriptor open_marker(int folder) {
  return Descriptor(::openat(folder, kMarkerName.data(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void write_text(int file, std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::pwrite(file, text.data(), text.size(), 0);  // an empty marker will do, too
}

/// Creates it if it is not there.
Descriptor create_marker(int folder) {
  const Descriptor fresh(::openat(folder, kMarkerName.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fresh && errno != EEXIST) return {};
  return open_marker(folder);
}

/// Somebody's `touch` makes an empty one.
std::expected<void, std::string> check_text(int folder, int marker) {
  struct stat info{};
  std::array<char, 256> text{};
  if (::fstat(marker, &info) != 0 || !S_ISREG(info.st_mode))
    return std::unexpected(fmt::format("{} is not a regular file", kMarkerName));
  const ssize_t n = ::pread(marker, text.data(), text.size(), 0);
  if (n < 0) return std::unexpected(fmt::format("cannot read {}: {}", kMarkerName, std::strerror(errno)));
  if (n == 0) {
    const Descriptor empty(::openat(folder, kMarkerName.data(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (empty) write_text(empty.get(), kMarkerText);
    return {};
  }
  const std::string_view known = kMarkerText.substr(0, kMarkerText.find(';') + 1);
  if (!std::string_view(text.data(), static_cast<std::size_t>(n)).starts_with(known))
    return std::unexpected(fmt::format(
        "its {} is from another version of symcached; choose another directory or delete this one", kMarkerName));
  return {};
}

void create_tag(int folder) {
  const Descriptor tag(::openat(folder, kTagName.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (tag) write_text(tag.get(), kTagText);
}

std::expected<Descriptor, std::string> open_or_create_marker(int folder, Owned owned) {
  Descriptor marker = open_marker(folder);
  if (!marker && errno == ENOENT) {
    const std::string other = owned == Owned::before ? std::string() : any_name_in(folder);
    if (other.empty()) marker = create_marker(folder);
    else if (marker = open_marker(folder); !marker && errno == ENOENT)  // another process may just have adopted it
      return std::unexpected(
          fmt::format("not empty (\"{}\") and not marked as a cache (no {}); choose an empty or new directory, or, if "
                      "an older symcached made it, run: touch DIRECTORY/{}",
                      other, kMarkerName, kMarkerName));
  }
  if (!marker) return std::unexpected(fmt::format("cannot open {}: {}", kMarkerName, std::strerror(errno)));
  return marker;
}

}  // namespace

Marker::Marker(fs::path directory, Descriptor folder, Descriptor file)
    : directory_(std::move(directory)), folder_(std::move(folder)), file_(std::move(file)) {
  struct stat info{};
  if (::fstat(folder_.get(), &info) == 0) folder_id_ = {info.st_dev, info.st_ino};
  if (::fstat(file_.get(), &info) == 0) file_id_ = {info.st_dev, info.st_ino};
}

std::expected<Marker, std::string> Marker::adopt(const fs::path& directory, Owned owned) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return refuse(directory, fmt::format("cannot create: {}", error.message()));
  Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return refuse(directory, fmt::format("cannot open: {}", std::strerror(errno)));
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    return refuse(directory, fmt::format("not writable: {}", std::strerror(errno)));
  auto file = open_or_create_marker(folder.get(), owned);
  if (!file) return refuse(directory, file.error());
  if (const auto text = check_text(folder.get(), file->get()); !text) return refuse(directory, text.error());
  lock(file->get(), LOCK_SH);
  create_tag(folder.get());
  return Marker(directory, std::move(folder), std::move(*file));
}

bool Marker::is(const fs::path& path, const FileId& id) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && FileId{info.st_dev, info.st_ino} == id;
}

bool Marker::in_place() const { return is(directory_ / kMarkerName, file_id_); }

bool Marker::same_directory() const {
  struct stat info{};
  return ::stat(directory_.c_str(), &info) == 0 && FileId{info.st_dev, info.st_ino} == folder_id_;
}

SoleUse::SoleUse(const Marker& marker) : marker_(marker) {
  if (!marker_.in_place()) return;
  guarded_ = lock(marker_.folder_.get(), LOCK_EX | LOCK_NB);
  if (!guarded_) return;
  sole_ = lock(marker_.file_.get(), LOCK_EX | LOCK_NB);
  if (!sole_) lock(marker_.file_.get(), LOCK_SH | LOCK_NB);  // a failed change has given up what we had
}

SoleUse::~SoleUse() {
  if (sole_) lock(marker_.file_.get(), LOCK_SH | LOCK_NB);
  if (guarded_) lock(marker_.folder_.get(), LOCK_UN);
}

}  // namespace symcached::store
