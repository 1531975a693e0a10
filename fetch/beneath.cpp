#include "fetch/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace symcached::fetch {
namespace {

namespace fs = std::filesystem;
using Kind = OpenFailure::Kind;

/// EAGAIN: somebody renamed a directory on the way, so it is not known whether ".." stayed inside.
constexpr int kTries = 8;

int open_once(int directory, const char* relative) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  for (int i = 0; i < kTries && opened < 0; ++i) {
    opened = ::syscall(SYS_openat2, directory, relative, &how, sizeof how);
    if (opened < 0 && errno != EAGAIN && errno != EINTR) break;
  }
  return static_cast<int>(opened);
}

OpenFailure failure_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: return {Kind::not_there, error};
    case EXDEV:
    case ELOOP: return {Kind::leaves, error};
    default: return {Kind::system, error};
  }
}

/// Where an absolute link leads, if that is below the directory; empty otherwise.
std::expected<fs::path, OpenFailure> target_below(const fs::path& path, const std::string& relative) {
  std::error_code error;
  const fs::path target = fs::canonical(path / relative, error);
  if (error) return std::unexpected(failure_of(error.value()));
  const auto [of_path, of_target] = std::mismatch(path.begin(), path.end(), target.begin(), target.end());
  if (of_path != path.end()) return std::unexpected(OpenFailure{Kind::leaves, EXDEV});
  fs::path below = ".";
  for (auto part = of_target; part != target.end(); ++part) below /= *part;
  return below;
}

}  // namespace

std::expected<Descriptor, OpenFailure> open_beneath(int directory, const fs::path& path, const std::string& relative) {
  Descriptor file(open_once(directory, relative.c_str()));
  if (file) return file;
  if (errno != EXDEV) return std::unexpected(failure_of(errno));
  const auto below = target_below(path, relative);
  if (!below) return std::unexpected(below.error());
  file = Descriptor(open_once(directory, below->c_str()));
  if (file) return file;
  return std::unexpected(failure_of(errno));
}

std::expected<std::shared_ptr<const Descriptor>, int> DirectoryRoot::get() {
  struct stat now{}, then{};
  if (::stat(path_.c_str(), &now) != 0) return std::unexpected(errno);
  const std::scoped_lock lock(mutex_);
  if (opened_ && ::fstat(opened_->get(), &then) == 0 && then.st_ino == now.st_ino && then.st_dev == now.st_dev)
    return opened_;
  Descriptor opened(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return std::unexpected(errno);
  opened_ = std::make_shared<const Descriptor>(std::move(opened));
  return opened_;
}

}  // namespace symcached::fetch
