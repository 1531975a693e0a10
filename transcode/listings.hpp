#pragma once
/// What lies in a SymCache directory, read again only where something changed. Private to `transcode/`.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ids/guid.hpp"
#include "store/checked_files.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

enum class Generation : std::uint8_t { image = 1, image_pdb = 2, pdb = 3 };

/// A symcache of one PDB, as it was listed.
struct Held {
  wpt::Version version;     ///< generation 2 has no other than 2.0.0
  Generation generation{};  ///< pdb or image_pdb
  std::uint64_t size = 0;   ///< bytes when it was listed
  std::string image = {};   ///< generation 2: the image it is named after
  std::string path = {};    ///< relative to the directory, as it is spelt there
};

/// Never null.
using HeldFiles = std::shared_ptr<const std::vector<Held>>;
using Now = std::function<std::chrono::system_clock::time_point()>;

/// Changes of a folder are seen by its times. Those may have the precision of a second, so a folder that changed within
/// the last one is read again by the next request. Safe to use from any thread.
class Listings {
 public:
  /// @param trusted  for how long a listing that was just compared with the folders counts without looking again
  Listings(std::filesystem::path root, Now now, std::chrono::milliseconds trusted = {})
      : root_(std::move(root)), now_(std::move(now)), trusted_(trusted) {}

  /// All of generation 3 under that name in any case, and all of generation 2 with that id. Sorted by version.
  /// Cost while nothing changed: a stat of the root and of each folder it was found in, or none while it is trusted.
  HeldFiles find(std::string_view pdb_name, const DebugId& id);
  /// What folders of that name are called, the exact spelling first; empty if there is none.
  std::vector<std::string> spellings(std::string_view pdb_name);
  /// The next request of each key looks at the folders, whatever is trusted.
  void look_again() { ++distrusts_; }
  /// A file was put into the folder of that spelling.
  void published(const std::string& spelling);
  /// Whether a later change of the file or folder will be told by another stamp.
  bool has_settled(const store::FileStamp& stamp) const;
  std::uint64_t folders_read() const;  ///< since the start

 private:
  using Clock = std::chrono::system_clock;
  struct Key {
    std::string name;  ///< in lower case; empty: of any name
    DebugId id;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Watched {
    std::string path;  ///< absolute
    store::FileStamp stamp;
  };
  struct Listing {
    std::uint64_t root = 0;  ///< serial number of the root it was read with
    std::vector<Watched> folders;
    HeldFiles files;
  };
  /// A listing, and when it was last found to be so.
  struct Kept {
    std::shared_ptr<const Listing> listing;
    std::chrono::steady_clock::time_point looked_at{};
    std::uint64_t distrusts = 0;
  };

  static Key key_of(std::string_view pdb_name, const DebugId& id);
  void refresh_root();
  void read_root(int folder);
  bool add_flat(int folder, const char* name);
  std::shared_ptr<const Listing> read(std::string_view pdb_name, const DebugId& id);
  void read_name(Listing& listing, std::vector<Held>& files, const std::string& spelling, const DebugId& id);
  void read_id(Listing& listing, std::vector<Held>& files, const std::string& folder, std::string_view pdb_name);
  bool is_current(const Listing& listing) const;
  void keep(Key key, Kept kept);

  const std::filesystem::path root_;
  const Now now_;
  const std::chrono::milliseconds trusted_;
  std::atomic<std::uint64_t> distrusts_ = 0;
  mutable std::mutex mutex_;  ///< guards what follows
  std::uint64_t root_serial_ = 0;
  store::FileStamp root_stamp_{};
  bool root_settled_ = false;
  Clock::time_point root_read_{};
  Clock::duration root_cost_{};
  std::unordered_map<std::string, std::vector<std::string>> folders_;  ///< by name in lower case
  std::unordered_map<Key, std::vector<Held>, KeyHash> flat_;           ///< files in the root
  std::unordered_map<Key, Kept, KeyHash> listings_;
  std::uint64_t folders_read_ = 0;
};

}  // namespace symcached::transcode
