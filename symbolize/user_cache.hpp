#pragma once
/// The cache of one user: symcaches of the files that commands were asked about, so that the next command answers at
/// once. What a name stands for, and when an entry counts: docs/lookup-cache.md.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/mapped_file.hpp"
#include "store/store.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/contents.hpp"
#include "symbolize/kept_record.hpp"
#include "symcache/format.hpp"

namespace symcached::symbolize {

/// The version is that of service::kSymcaches: both are made by the same code.
inline constexpr store::CacheKind kKeptSymcaches{"kept_symcaches", 4};
static_assert(symcache::kFormatVersion == 3, "the symcache format changed: raise kKeptSymcaches, too");

/// What a file is called in the user's cache.
struct FileKey {
  /// Of every file with the same bytes, wherever it is; empty if the file does not say who it is.
  std::string content;
  /// Of this file at this place, looked at with these options.
  std::string place;
  SeenFile stamp;  ///< of the file
};

/// @param bytes  of the file as it is on disk; only its headers, 16 KiB at its start and 16 KiB at its end are read
/// Cost: of a PDB its directory, else tens of microseconds.
FileKey file_key_of(const std::filesystem::path& path, Bytes bytes, const FarPlaces& far);

struct UserCacheOptions {
  std::filesystem::path directory;                  ///< may hold a server's cache, too
  std::uint64_t max_size = std::uint64_t{2} << 30;  ///< bytes of all that is kept; the least valuable goes first
  std::uint64_t min_file_size = 1u << 20;           ///< bytes; smaller files are converted faster than found
  /// Has another process convert a file and keep() it, at its leisure; empty: nobody does.
  std::function<void(const std::filesystem::path&)> fill_behind = {};
};

/// Never in the way: where the directory cannot be used, or the disk is full, nothing is found and nothing kept. Safe
/// to use from any thread, and from several processes on one directory; anyone may delete anything in it.
class UserCache {
 public:
  explicit UserCache(UserCacheOptions options) : options_(std::move(options)) {}

  struct Found {
    MappedFile mapped;
    Bytes symcache;  ///< in `mapped`; begins as one, the rest is checked where it is read
    std::vector<std::string> warnings;
  };
  /// Whether files of that size are looked for at all.
  bool is_for(std::uint64_t file_size) const { return file_size >= options_.min_file_size; }
  /// Cost: some system calls; one more for each other file that the symcache was made with.
  std::optional<Found> find(const FileKey& key);

  /// Who makes the symcache of a file, so that others need not at the same time; nothing if another process does.
  std::optional<store::KeyLocks::Guard> try_lock(const FileKey& key);

  struct Made {
    Bytes symcache;
    KeptRecord record;
    Contents contents{};
    std::chrono::milliseconds cost{0};  ///< of converting
  };
  /// @return why nothing was kept; empty: it was
  /// Cost: writes and syncs the bytes.
  std::string keep(const FileKey& key, const Made& made);

  /// For a file that was answered from in part, once that is done.
  void fill_behind(const std::filesystem::path& path) {
    if (options_.fill_behind && opened() != nullptr) options_.fill_behind(path);
  }

 private:
  store::Store* opened();
  std::optional<Found> find(const std::string& readable, bool is_of_place);

  const UserCacheOptions options_;
  std::once_flag once_;
  std::unique_ptr<store::Store> store_;  ///< null: it cannot be used
};

}  // namespace symcached::symbolize
