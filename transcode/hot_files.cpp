#include "transcode/hot_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace symcached::transcode {
namespace {

constexpr std::chrono::seconds kIdle{1};  ///< a copy that nobody used for so long makes room

bool has_stamp(const Descriptor& file, const store::FileStamp& stamp) {
  struct stat info{};
  return ::fstat(file.get(), &info) == 0 && store::stamp_of(info) == stamp;
}

/// @return null: it cannot be read, or is not whole
std::shared_ptr<const std::string> bytes_of(const Descriptor& file, std::uint64_t size) {
  auto bytes = std::make_shared<std::string>(size, '\0');
  const ssize_t n = ::pread(file.get(), bytes->data(), bytes->size(), 0);
  return std::cmp_equal(n, size) ? bytes : nullptr;
}

Descriptor file_without_name(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return file ? std::move(file) : Descriptor(::memfd_create("symcached hot", MFD_CLOEXEC));
}

/// @return null: it cannot be made, or is not whole
std::shared_ptr<const Descriptor> copy_of(const Descriptor& file, std::uint64_t size, const std::string& folder) {
  auto copy = std::make_shared<const Descriptor>(file_without_name(folder));
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

bool HotFiles::copy(OpenSymcache& symcache) const {
  const std::shared_ptr<const Descriptor> original = std::move(symcache.file);
  symcache.is_copy = true;
  if (symcache.size <= kMostInMemory) symcache.bytes = bytes_of(*original, symcache.size);
  else symcache.file = copy_of(*original, symcache.size, folder_);
  return symcache.bytes || symcache.file;
}

SharedSymcache HotFiles::keep(const store::FileStamp& stamp, const SharedSymcache& symcache) {
  if (symcache->size > kMostSize) return symcache;
  Share& share = mine();
  const auto now = Clock::now();
  {
    const std::scoped_lock lock(share.mutex);
    if (!share.has_room(now)) return symcache;
  }
  OpenSymcache copied = *symcache;
  if (!copy(copied) || !has_stamp(*symcache->file, stamp)) return symcache;
  auto shared = std::make_shared<const OpenSymcache>(std::move(copied));
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
