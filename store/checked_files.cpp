#include "store/checked_files.hpp"

#include <sys/stat.h>

#include <utility>

namespace symcached::store {

FileStamp stamp_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .changed_ns = std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec,
          .size = static_cast<std::uint64_t>(info.st_size)};
}

/// What is asked for moves to the young generation while that has room: no copy, no allocation.
Checked* CheckedFiles::lookup(const std::string& name) {
  if (const auto found = young_.find(name); found != young_.end()) return &found->second;
  const auto found = old_.find(name);
  if (found == old_.end()) return nullptr;
  if (young_.size() >= half_) return &found->second;
  return &young_.insert(old_.extract(found)).position->second;
}

std::optional<Checked> CheckedFiles::find(const std::string& name, const FileStamp& stamp) {
  const std::scoped_lock lock(mutex_);
  const Checked* found = lookup(name);
  return found != nullptr && found->stamp == stamp ? std::optional(*found) : std::nullopt;
}

void CheckedFiles::put(const std::string& name, Checked checked) {
  Generation forgotten;  // freed after the lock is gone
  const std::scoped_lock lock(mutex_);
  if (young_.size() >= half_) {
    forgotten = std::exchange(old_, std::move(young_));
    young_ = {};
  }
  old_.erase(name);
  young_.insert_or_assign(name, std::move(checked));
}

void CheckedFiles::restamp(const std::string& name, const FileStamp& before, const FileStamp& now) {
  const std::scoped_lock lock(mutex_);
  if (Checked* found = lookup(name); found != nullptr && found->stamp == before) found->stamp = now;
}

std::size_t CheckedFiles::size() const {
  const std::scoped_lock lock(mutex_);
  return young_.size() + old_.size();
}

}  // namespace symcached::store
