#include "store/key_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "store/entry.hpp"

namespace symcached::store {
namespace {

/// Of the open file, not of the process: closing another descriptor of the same file gives up nothing.
int set_lock(int file, std::uint64_t byte, int type) {
  struct flock range{};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return ::fcntl(file, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

bool has_name(int file) {
  struct stat info{};
  return ::fstat(file, &info) == 0 && info.st_nlink != 0;
}

}  // namespace

KeyLocks::KeyLocks(std::filesystem::path directory, std::function<bool()> is_ours)
    : directory_(std::move(directory)), is_ours_(std::move(is_ours)), state_(std::make_shared<State>()) {}

KeyLocks::Guard::~Guard() {
  if (!state_) return;
  if (file_) set_lock(file_->get(), byte_, F_UNLCK);
  const std::scoped_lock lock(state_->mutex);
  state_->held.erase(byte_);
}

/// Opened again once somebody has deleted it; null if it cannot be.
std::shared_ptr<const Descriptor> KeyLocks::current_file() {
  const std::scoped_lock lock(mutex_);
  if (directory_.empty() || (file_ && has_name(file_->get()))) return file_;
  file_ = nullptr;
  if (!is_ours_()) return nullptr;
  constexpr int kHow = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(::open((directory_ / kLocksName).c_str(), kHow, 0600));
  if (file) file_ = std::make_shared<const Descriptor>(std::move(file));
  return file_;
}

std::optional<KeyLocks::Guard> KeyLocks::try_lock(const std::string& name) {
  const std::uint64_t byte = content_of(sha256(as_bytes(name))) >> 2;
  {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->held.insert(byte).second) return std::nullopt;
  }
  Guard guard(state_, byte);
  auto file = current_file();
  const int error = file ? set_lock(file->get(), byte, F_WRLCK) : ENOENT;
  if (error == EAGAIN || error == EACCES) return std::nullopt;
  if (error == 0) guard.file_ = std::move(file);
  return guard;
}

}  // namespace symcached::store
