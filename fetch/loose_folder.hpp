#pragma once
/// Which files of a folder state which ids: a folder of debug files in any order.
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "fetch/file_reader.hpp"
#include "fetch/turn.hpp"

namespace symcached::fetch {

struct LooseLimits {
  std::size_t max_entries = 100'000;  ///< files and folders that one walk looks at
  int max_depth = 16;                 ///< folders inside folders
  std::chrono::milliseconds walk_again{2'000};
  bool skips_places = false;  ///< not into files where a store would have them: those are found without a search
};

/// An index made while it is asked. A walk looks only into files that are new or changed since the one before, by size,
/// time and inode, and of those only into files that begin as ones with ids do. Links to folders are not followed,
/// links to files as in beneath.hpp. Safe to use from any thread.
class LooseFolder {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  /// @param reader  looks into the files
  explicit LooseFolder(
      FileReader& reader, LooseLimits limits = {}, Now now = [] { return std::chrono::steady_clock::now(); })
      : reader_(reader), limits_(limits), now_(std::move(now)) {}

  using Paths = std::expected<std::vector<std::string>, std::string>;
  /// Paths of the files that state they are what is wanted, sorted.
  /// Cost: a walk over the folder, if what is known does not answer and the last one was longer ago than walk_again.
  /// @param root  the folder, open
  /// @param path  the same, canonical
  /// @return the paths, below the folder; or why nothing can be said: this machine's fault
  Task<Paths> find(std::shared_ptr<const Descriptor> root, std::filesystem::path path, sources::FileRequest wanted);

 private:
  struct Known {
    std::string identity;  ///< identity.hpp
    std::vector<sources::FileRequest> ids = {};
  };
  using Files = std::map<std::string, Known>;  ///< by path below the folder

  Task<std::expected<void, std::string>> walk(std::shared_ptr<const Descriptor> root, std::filesystem::path path);
  Task<std::expected<Known, std::string>> look_into(std::shared_ptr<const Descriptor> root, std::filesystem::path path,
                                                    std::string relative, std::string identity);
  std::vector<std::string> known(int root, const sources::FileRequest& wanted);
  std::optional<Known> unchanged(const std::string& relative, const std::string& identity);
  bool is_fresh();

  FileReader& reader_;
  const LooseLimits limits_;
  const Now now_;
  Turn turn_;  ///< of walks
  std::mutex mutex_;
  Files files_;
  std::optional<std::chrono::steady_clock::time_point> walked_;
};

}  // namespace symcached::fetch
