#pragma once
/// Copies of small files that clients ask for again and again. Private to `transcode/`.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/descriptor.hpp"
#include "store/checked_files.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

/// Ready to be sent. The file may be replaced, cut or deleted by others; the descriptor stays.
struct OpenSymcache {
  std::shared_ptr<const Descriptor> file;
  std::uint64_t size = 0;  ///< bytes, when it was read
  wpt::Version version;
  std::string etag;                               ///< strong, with its quotes: version and digest of the content
  std::string path;                               ///< relative to the directory, as it is spelt there
  std::int64_t modified_ns = 0;                   ///< since 1970, when it was read
  bool is_copy = false;                           ///< nobody else can write to `file`
  std::shared_ptr<const std::string> bytes = {};  ///< all of a small file; then there is no `file`
};
using SharedSymcache = std::shared_ptr<const OpenSymcache>;

/// Nobody can write to a copy, so what is sent of it is whole whatever becomes of the file. Small ones are in memory,
/// the others in files without a name: the kernel sends pages of a file system faster than those of a memfd. Threads
/// have copies of their own, as two processors that use one open file wait for each other; more threads than kShares
/// have to share. Keeps no more than kShares * kMost copies, of kMostSize bytes at most, and two descriptors for each.
/// Safe to use from any thread.
class HotFiles {
 public:
  /// @param folder  in whose file system the copies are, if it can be written to; else they are all in memory
  explicit HotFiles(std::string folder) : folder_(std::move(folder)) {}

  /// Null if there is no copy, or the file has changed. One that is renamed, replaced or deleted has changed, too: the
  /// time of its last change of status is another. Cost: an fstat(), which walks no path.
  SharedSymcache find(const std::string& path);
  /// @param symcache  as it was just opened; its last change is so long ago that the next one will be told by another
  ///                  stamp
  /// @return the same with a copy for its file, unless it is too large, there is no room, or it is being written
  SharedSymcache keep(const store::FileStamp& stamp, const SharedSymcache& symcache);
  void drop(const std::string& path);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kShares = 8;
  static constexpr std::size_t kMost = 64;
  static constexpr std::uint64_t kMostInMemory = 48 << 10;
  static constexpr std::uint64_t kMostSize = 256 << 10;
  static constexpr std::size_t kCacheLine = 64;

  struct Kept {
    store::FileStamp stamp;
    std::shared_ptr<const Descriptor> original;
    SharedSymcache copy;
    Clock::time_point used;
  };
  struct alignas(kCacheLine) Share {
    std::mutex mutex;
    std::unordered_map<std::string, Kept> files;
    bool has_room(Clock::time_point now);
  };
  Share& mine();
  bool copy(OpenSymcache& symcache) const;

  const std::string folder_;
  std::array<Share, kShares> shares_;
};

}  // namespace symcached::transcode
