#pragma once
/// Work that nobody waits for, as lines of a file: it outlives the process, and several processes may add to it.
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace symcached::store {

// In a cache directory: what is to be made anew, and its next version while that is written.
inline constexpr std::string_view kRefreshList = "refresh-list";
inline constexpr std::string_view kRefreshListNew = "refresh-list.new";

/// A list that is lost, cut or damaged costs work not done before somebody asks for it, nothing else: whatever goes
/// wrong with the file is ignored. Safe to use from any thread.
class WorkList {
 public:
  static constexpr std::size_t kMostLines = 100'000;  ///< further ones are not taken
  static constexpr std::size_t kMaxLine = 4096;       ///< bytes

  /// Reads what earlier processes left undone. An empty path: a list in memory.
  explicit WorkList(std::filesystem::path file);

  /// Adds a line of printable text unless it is there. @return whether it was added
  bool add(std::string_view line);
  /// The line that waits longest, which is now under way; nothing if none waits.
  std::optional<std::string> next();
  /// It is done, or not worth doing: struck off.
  void done(const std::string& line);
  std::size_t waiting() const;

 private:
  void append(std::string_view line);
  void rewrite();

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::deque<std::string> waiting_;
  std::unordered_set<std::string> known_;   ///< waiting or under way
  std::unordered_set<std::string> struck_;  ///< done, and perhaps still in the file
};

}  // namespace symcached::store
