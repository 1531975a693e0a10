#pragma once
/// The cache directory: look an entry up, publish one, remember why there is none.
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/descriptor.hpp"
#include "base/mapped_file.hpp"
#include "store/entry.hpp"
#include "store/entry_writer.hpp"

namespace symcached::store {

/// A kind of entry; raising the version leaves the entries of the old one to the cleaner.
struct CacheKind {
  std::string_view name;  ///< a folder of the cache directory, static storage
  std::uint32_t version;
};

struct EntryKey {
  CacheKind kind;
  std::string scope = "global";
  std::string readable;  ///< at most kMaxKey bytes, one line
};

/// An entry with a payload, open. It stays readable when somebody deletes or replaces it on disk.
class Entry {
 public:
  Entry(Descriptor file, Head head) : file_(std::move(file)), head_(std::move(head)) {}
  const Descriptor& file() const { return file_; }
  const Head& head() const { return head_; }
  std::uint64_t size() const { return head_.payload_size; }  ///< of the payload, which starts at kPayloadOffset
  std::expected<MappedFile, std::string> map() const { return MappedFile::from_descriptor(file_.get(), head_.key); }

 private:
  Descriptor file_;
  Head head_;
};

struct Hit {
  std::shared_ptr<const Entry> entry;
};
struct Miss {};  ///< nothing known yet: ask the sources
struct Absent {
  TimePoint checked;
};  ///< every source said no
struct Malformed {
  TimePoint checked;
  std::string why;
};  ///< fetched, could not be used; gone with the next start
/// Some source did not answer as it should (time-out, 403, 429, 5xx), `failures` times in a row.
struct Unavailable {
  TimePoint checked;
  std::uint16_t failures;
  std::string why;
};
using Lookup = std::variant<Hit, Miss, Absent, Malformed, Unavailable>;
using Negative = std::variant<Absent, Malformed, Unavailable>;  ///< all that may be remembered besides a file

enum class LeftOvers : std::uint8_t {
  remove,  ///< the program that owns the directory starts: nobody else is writing
  keep,    ///< a guest, beside which another program may be writing entries
};

/// Safe to use from any thread, and from several programs on one directory.
class Store {
 public:
  /// Creates what is missing and, unless told to keep it, empties tmp/. `boot` names this run: malformed entries of
  /// another run are misses.
  static std::expected<std::unique_ptr<Store>, std::string> open(std::filesystem::path directory, std::uint64_t boot,
                                                                 LeftOvers left_overs = LeftOvers::remove);

  /// Cost: one open and one fstat when this run has checked the file before; otherwise its payload is read once.
  /// An entry that does not hold is a Miss.
  Lookup lookup(const EntryKey& key);
  /// The same without ever reading a payload: nothing if lookup() would have to. For threads that must not wait.
  std::optional<Lookup> lookup_checked(const EntryKey& key);

  std::expected<EntryWriter, std::string> create(const EntryKey& key, Quality quality);
  std::expected<void, std::string> remember(const EntryKey& key, const Negative& negative);
  void remove(const EntryKey& key);

  std::filesystem::path path_of(const EntryKey& key) const;
  static TimePoint now() { return std::chrono::time_point_cast<Milliseconds>(Clock::now()); }

 private:
  /// A file as it was when its payload was checked. Any later write changes the change time.
  struct Checked {
    std::uint64_t inode;
    std::int64_t changed_ns;
    std::uint64_t size;
    Head head;
  };

  Store(std::filesystem::path directory, std::uint64_t boot) : directory_(std::move(directory)), boot_(boot) {}
  std::optional<Lookup> look(const EntryKey& key, bool may_read_payload);
  std::expected<EntryWriter, std::string> create_with(const EntryKey& key, Head head);
  void touch(const Entry& entry, std::int64_t used_seconds, const std::string& path);

  const std::filesystem::path directory_;
  const std::uint64_t boot_;
  std::mutex mutex_;
  std::unordered_map<std::string, Checked> checked_;  ///< by path
};

}  // namespace symcached::store
