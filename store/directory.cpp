#include "store/directory.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "store/left_overs.hpp"

namespace symcached::store {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 4;                   ///< against somebody who deletes directories as we create them
constexpr std::size_t kCopySize = 256 * 1024;  ///< bytes a read
constexpr mode_t kMode = 0600;

std::uint64_t random_number() {
  std::uint64_t number = 0;
  [[maybe_unused]] const ssize_t ignored = ::getrandom(&number, sizeof number, 0);  // a name that is taken is retried
  return number;
}

/// Creates what is missing of `relative` below `root`, never `root` itself: that would have no marker.
/// @return 0, or errno
int create_folders(const fs::path& root, const fs::path& relative) {
  if (::access((root / relative).c_str(), F_OK) == 0) return 0;
  fs::path folder = root;
  for (const fs::path& part : relative) {
    folder /= part;
    if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return errno;
  }
  return 0;
}

/// A rename lost in a power cut is a miss, so a failure here is not one of publishing.
void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.get());
}

int copy_all(int from, int to) {
  std::vector<char> buffer(kCopySize);
  for (std::uint64_t at = 0;;) {
    const ssize_t n = ::pread(from, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ::fsync(to) == 0 ? 0 : errno;
    if (const int error = write_at(to, buffer.data(), static_cast<std::size_t>(n), at); error != 0) return error;
    at += static_cast<std::uint64_t>(n);
  }
}

/// What move_into_place() may end in when somebody deletes as we create. EAGAIN: a directory went, and the file is
/// still there. ENOENT and EXDEV: the file has lost its last name, tmp/ is on another disk by now, or /proc is not
/// mounted; no link brings it back, so it is copied to a file with a name.
bool somebody_deleted(int error) { return error == ENOENT || error == EXDEV || error == EAGAIN; }

}  // namespace

std::expected<std::unique_ptr<Directory>, std::string> Directory::open(fs::path directory, std::uint64_t boot,
                                                                       TemporaryFiles temporary) {
  auto marker = Marker::adopt(directory, Owned::unknown);
  if (!marker) return std::unexpected(std::move(marker.error()));
  return std::unique_ptr<Directory>(new Directory(std::move(directory), boot, temporary, std::move(*marker)));
}

/// Whoever deletes the marker, or everything, has not taken the directory from us; whoever put another one in its
/// place has.
std::expected<void, Failure> Directory::stay_owner() {
  const std::scoped_lock lock(mutex_);
  if (marker_.in_place()) return {};
  const bool same = marker_.same_directory();
  auto again = Marker::adopt(directory_, same ? Owned::before : Owned::unknown);
  if (again) marker_ = std::move(*again);
  else if (!same) return std::unexpected(Failure{EACCES, std::move(again.error())});
  return {};
}

std::expected<NewFile, Failure> Directory::create() { return create(temporary_); }

std::expected<NewFile, Failure> Directory::create(TemporaryFiles how) {
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto owner = stay_owner(); !owner) return std::unexpected(std::move(owner.error()));
    auto file = how == TemporaryFiles::named ? create_named() : create_unnamed();
    if (file) return std::move(*file);
    error = file.error();
    if (error == EOPNOTSUPP || error == EISDIR || error == EINVAL) how = TemporaryFiles::named;
    else if (error == ENOENT) create_folders(directory_, "tmp");
    else if (error != EEXIST) break;
  }
  return std::unexpected(failure(tmp_, "create a file in", error));
}

std::expected<NewFile, int> Directory::create_unnamed() {
  Descriptor file(::open(tmp_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
  if (!file) return std::unexpected(errno);
  return NewFile(std::move(file));
}

std::expected<NewFile, int> Directory::create_named() {
  const fs::path name = tmp_ / temporary_name(boot_, random_number());
  Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  if (!file) return std::unexpected(errno);
  return NewFile(std::move(file), name);
}

/// @return 0, or errno
int Directory::give_name(NewFile& file) {
  const fs::path name = tmp_ / temporary_name(boot_, random_number());
  const std::string opened = "/proc/self/fd/" + std::to_string(file.descriptor());
  if (const int error = create_folders(directory_, "tmp"); error != 0) return error == ENOENT ? EAGAIN : error;
  if (::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return errno;
  file.set_name(name);
  return 0;
}

/// @return 0, or errno
int Directory::move_into_place(NewFile& file, const std::string& name) {
  const fs::path target = path(name);
  if (const int error = create_folders(directory_, fs::path(name).parent_path()); error != 0)
    return error == ENOENT ? EAGAIN : error;
  if (file.name().empty())
    if (const int error = give_name(file); error != 0) return error;
  if (::rename(file.name().c_str(), target.c_str()) == 0) {
    file.forget_name();
    return 0;
  }
  const int error = errno;
  struct stat info{};
  return error == ENOENT && ::lstat(file.name().c_str(), &info) == 0 ? EAGAIN : error;
}

std::expected<void, Failure> Directory::publish(NewFile file, const std::string& name) {
  const fs::path target = path(name);
  if (::fsync(file.descriptor()) != 0) return std::unexpected(failure(target, "sync", errno));
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto owner = stay_owner(); !owner) return owner;
    error = move_into_place(file, name);
    if (error == 0) {
      sync_folder(target.parent_path());
      return {};
    }
    if (!somebody_deleted(error)) break;
    if (error == EAGAIN) continue;
    auto copy = copy_of(file);
    if (!copy) return std::unexpected(std::move(copy.error()));
    file = std::move(*copy);
  }
  return std::unexpected(failure(target, "publish", error));
}

bool Directory::publish_link(const std::string& existing, const std::string& name) {
  const fs::path link = tmp_ / temporary_name(boot_, random_number());
  create_folders(directory_, "tmp");
  if (!is_ours() || create_folders(directory_, fs::path(name).parent_path()) != 0) return false;
  if (::link(path(existing).c_str(), link.c_str()) != 0) return false;
  const bool moved = ::rename(link.c_str(), path(name).c_str()) == 0;
  ::unlink(link.c_str());  // a rename of one name of a file to another leaves both
  if (moved) sync_folder(path(name).parent_path());
  return moved;
}

std::expected<NewFile, Failure> Directory::copy_of(const NewFile& file) {
  auto copy = create(TemporaryFiles::named);
  if (!copy) return copy;
  if (const int error = copy_all(file.descriptor(), copy->descriptor()); error != 0)
    return std::unexpected(failure(tmp_, "copy to a file in", error));
  return copy;
}

std::expected<Descriptor, int> Directory::open(const std::string& name) {
  return open_file(directory_.native() + '/' + name);
}

void Directory::remove(const std::string& name) { ::unlink(path(name).c_str()); }

std::size_t Directory::remove_left_overs() {
  const std::scoped_lock lock(mutex_);
  const SoleUse sole(marker_);
  return remove_left_overs_in(tmp_, boot_, static_cast<bool>(sole));
}

}  // namespace symcached::store
