#pragma once
/// Small files that are kept open, as clients ask for the same ones. Private to `transcode/`.
#include <sys/stat.h>

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

/// Keeps no more than kMost descriptors and, of files that others delete, no more than kMost * kMostSize bytes on disk.
/// Safe to use from any thread.
class OpenFiles {
 public:
  /// Nothing if it is not kept, or the file has changed. One that is renamed, replaced or deleted has changed, too: the
  /// time of its last change of status is another. Cost: an fstat(), which walks no path.
  std::optional<OpenSymcache> find(const std::string& path) {
    std::optional<Kept> kept;
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = files_.find(path); found != files_.end()) kept = found->second;
    }
    struct stat info{};
    const bool is_same =
        kept && ::fstat(kept->symcache.file->get(), &info) == 0 && store::stamp_of(info) == kept->stamp;
    return is_same ? std::optional(std::move(kept->symcache)) : std::nullopt;
  }
  /// When there are too many, all are forgotten.
  void put(const store::FileStamp& stamp, const OpenSymcache& symcache) {
    if (symcache.size > kMostSize) return;
    const std::scoped_lock lock(mutex_);
    if (files_.size() >= kMost) files_.clear();
    files_.insert_or_assign(symcache.path, Kept{stamp, symcache});
  }
  void drop(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    files_.erase(path);
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::uint64_t kMostSize = 256 << 10;

  struct Kept {
    store::FileStamp stamp;
    OpenSymcache symcache;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Kept> files_;
};

}  // namespace symcached::transcode
