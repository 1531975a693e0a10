#pragma once
/// Small files that are kept open, as clients ask for the same ones. Private to `transcode/`.
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/descriptor.hpp"
#include "store/checked_files.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

/// Ready to be sent. The file may be replaced, cut or deleted by others; the descriptor stays.
struct OpenSymcache {
  std::shared_ptr<const Descriptor> file;
  std::uint64_t size = 0;  ///< bytes, when it was read
  wpt::Version version;
  std::string etag;              ///< strong, with its quotes: version and digest of the content
  std::string path;              ///< relative to the directory, as it is spelt there
  std::int64_t modified_ns = 0;  ///< since 1970, when it was read
};
using SharedSymcache = std::shared_ptr<const OpenSymcache>;

/// Threads have descriptors of their own, as two processors that use one open file wait for each other; more threads
/// than kShares have to share. Keeps no more than kShares * kMost descriptors and, of files that others delete, no more
/// than kMostSize bytes on disk for each. Safe to use from any thread.
class OpenFiles {
 public:
  /// Null if it is not kept, or the file has changed. One that is renamed, replaced or deleted has changed, too: the
  /// time of its last change of status is another. Cost: an fstat(), which walks no path.
  SharedSymcache find(const std::string& path) {
    Share& share = mine();
    const std::scoped_lock lock(share.mutex);
    const auto found = share.files.find(path);
    if (found == share.files.end()) return nullptr;
    struct stat info{};
    const bool is_same =
        ::fstat(found->second.symcache->file->get(), &info) == 0 && store::stamp_of(info) == found->second.stamp;
    return is_same ? found->second.symcache : nullptr;
  }
  /// For this thread. When there are too many, all of its own are forgotten.
  void put(const store::FileStamp& stamp, const SharedSymcache& symcache) {
    if (symcache->size > kMostSize) return;
    Share& share = mine();
    const std::scoped_lock lock(share.mutex);
    if (share.files.size() >= kMost) share.files.clear();
    share.files.insert_or_assign(symcache->path, Kept{stamp, symcache});
  }
  void drop(const std::string& path) {
    for (Share& share : shares_) {
      const std::scoped_lock lock(share.mutex);
      share.files.erase(path);
    }
  }

 private:
  static constexpr std::size_t kShares = 8;
  static constexpr std::size_t kMost = 64;
  static constexpr std::uint64_t kMostSize = 256 << 10;
  static constexpr std::size_t kCacheLine = 64;

  struct Kept {
    store::FileStamp stamp;
    SharedSymcache symcache;
  };
  struct alignas(kCacheLine) Share {
    std::mutex mutex;
    std::unordered_map<std::string, Kept> files;
  };
  Share& mine() {
    static std::atomic<std::size_t> threads = 0;
    thread_local const std::size_t number = threads++;
    return shares_[number % kShares];
  }

  std::array<Share, kShares> shares_;
};

}  // namespace symcached::transcode
