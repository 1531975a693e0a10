#pragma once
/// Files of ours whose content is not what we wrote, kept for whoever looks into it: the latest, within limits.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace symcached::transcode {

struct QuarantineLimits {
  std::size_t files = 100;
  std::uint64_t bytes = 1 << 30;
};

/// Safe to use from any thread; several processes may use one place.
class Quarantine {
 public:
  /// @param place  on the file system of the files; created for the first of them
  explicit Quarantine(std::filesystem::path place, QuarantineLimits limits = {})
      : place_(std::move(place)), limits_(limits) {}

  enum class Taken : std::uint8_t { kept, too_large, still_there };
  /// Moves it into a folder of its own; the oldest make room. A file over the limit alone is deleted.
  /// @param where  becomes that folder
  Taken take(const std::filesystem::path& file, std::string& where);

  std::uint64_t taken() const { return taken_; }  ///< since the start

 private:
  void make_room();

  const std::filesystem::path place_;
  const QuarantineLimits limits_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> taken_ = 0;
};

}  // namespace symcached::transcode
