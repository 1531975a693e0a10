#include "store/disk_space.hpp"

#include <algorithm>
#include <cerrno>

namespace symcached::store {

bool is_of_space(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EROFS; }

void DiskSpace::failed(const Failure& failure) {
  if (!is_of_space(failure.error)) return;
  const SteadyTime now = now_();
  const std::scoped_lock lock(mutex_);
  if (now < until_) return;  // a write that began before the pause
  pause_ = pause_.count() == 0 ? kFirstPause : std::min(pause_ * 2, kLongestPause);
  until_ = now + pause_;
  why_ = failure.why;
}

void DiskSpace::worked() {
  const std::scoped_lock lock(mutex_);
  pause_ = {};
  until_ = {};
}

std::optional<std::string> DiskSpace::full() const {
  const SteadyTime now = now_();
  const std::scoped_lock lock(mutex_);
  if (now >= until_) return std::nullopt;
  return why_;
}

}  // namespace symcached::store
