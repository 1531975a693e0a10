#include "transcode/hot_files.hpp"

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <atomic>
#include <utility>

namespace symcached::transcode {
namespace {

constexpr std::chrono::seconds kIdle{1};  ///< a copy that nobody used for so long makes room

bool has_stamp(const Descriptor& file, const store::FileStamp& stamp) {
  struct stat info{};
  return ::fstat(file.get(), &info) == 0 && store::stamp_of(info) == stamp;
}

/// @return null: it cannot be made, or is not whole
std::shared_ptr<const Descriptor> copy_of(const Descriptor& file, std::uint64_t size) {
  auto copy = std::make_shared<const Descriptor>(::memfd_create("symcached hot", MFD_CLOEXEC));
  if (!*copy) return nullptr;
  off_t offset = 0;
  while (static_cast<std::uint64_t>(offset) < size) {
    const std::uint64_t left = size - static_cast<std::uint64_t>(offset);
    if (::sendfile(copy->get(), file.get(), &offset, left) <= 0) return nullptr;
  }
  return copy;
}

}  // namespace

HotFiles::Share& HotFiles::mine() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t number = threads++;
  return shares_[number % kShares];
}

bool HotFiles::Share::has_room(Clock::time_point now) {
  if (files.size() >= kMost) std::erase_if(files, [&](const auto& kept) { return kept.second.used + kIdle < now; });
  return files.size() < kMost;
}

SharedSymcache HotFiles::find(const std::string& path) {
  Share& share = mine();
  const std::scoped_lock lock(share.mutex);
  const auto found = share.files.find(path);
  if (found == share.files.end() || !has_stamp(*found->second.original, found->second.stamp)) return nullptr;
  found->second.used = Clock::now();
  return found->second.copy;
}

SharedSymcache HotFiles::keep(const store::FileStamp& stamp, const SharedSymcache& symcache) {
  if (symcache->size > kMostSize) return symcache;
  Share& share = mine();
  const auto now = Clock::now();
  {
    const std::scoped_lock lock(share.mutex);
    if (!share.has_room(now)) return symcache;
  }
  auto file = copy_of(*symcache->file, symcache->size);
  if (!file || !has_stamp(*symcache->file, stamp)) return symcache;
  OpenSymcache copy = *symcache;
  copy.file = std::move(file);
  copy.is_copy = true;
  auto shared = std::make_shared<const OpenSymcache>(std::move(copy));
  const std::scoped_lock lock(share.mutex);
  if (share.has_room(now)) share.files.insert_or_assign(symcache->path, Kept{stamp, symcache->file, shared, now});
  return shared;
}

void HotFiles::drop(const std::string& path) {
  for (Share& share : shares_) {
    const std::scoped_lock lock(share.mutex);
    share.files.erase(path);
  }
}

}  // namespace symcached::transcode
