#include "store/unnamed_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace symcached::store {

std::expected<NewFile, Failure> UnnamedFiles::create() {
  const char* const set = std::getenv("TMPDIR");
  for (const char* folder : {set, "/tmp", "/var/tmp"}) {
    if (folder == nullptr || *folder == '\0') continue;
    Descriptor file(::open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (file) return NewFile(std::move(file));
  }
  Descriptor file(::memfd_create("symcached", MFD_CLOEXEC));
  if (file) return NewFile(std::move(file));
  return std::unexpected(failure("temporary file", "create", errno));
}

std::expected<void, Failure> UnnamedFiles::publish(NewFile file, const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto [place, is_new] = kept_.insert_or_assign(name, file.take());
  if (is_new) order_.push_back(name);
  if (order_.size() <= kMostKept) return {};
  kept_.erase(order_.front());
  order_.pop_front();
  return {};
}

std::expected<Descriptor, int> UnnamedFiles::open(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(name);
  if (found == kept_.end()) return std::unexpected(ENOENT);
  Descriptor again(::fcntl(found->second.get(), F_DUPFD_CLOEXEC, 0));
  if (!again) return std::unexpected(errno);
  return again;
}

void UnnamedFiles::remove(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (kept_.erase(name) != 0) std::erase(order_, name);
}

}  // namespace symcached::store
