#pragma once
/// Which files were read through and found whole by this run, so that the next lookup need not.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/entry.hpp"

struct stat;

namespace symcached::store {

/// A file as it was when it was read. Any later write changes the change time.
struct FileStamp {
  std::uint64_t device;
  std::uint64_t inode;
  std::int64_t changed_ns;
  std::uint64_t size;

  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const struct stat& info);

struct Checked {
  FileStamp stamp;
  std::shared_ptr<const Head> head;  ///< null: read, and it does not hold
};

/// Two generations: a full one becomes the old one, and the old one is forgotten but for what was asked for since.
/// Safe to use from any thread.
class CheckedFiles {
 public:
  explicit CheckedFiles(std::size_t most = 65'536) : half_(most / 2) {}

  /// Nothing if the file was not read, or has changed since. Never frees more than one entry.
  std::optional<Checked> find(const std::string& name, const FileStamp& stamp);
  /// Now and then frees half of all entries, outside of the lock.
  void put(const std::string& name, Checked checked);
  /// The stamp alone changed, by our own touch.
  void restamp(const std::string& name, const FileStamp& before, const FileStamp& now);
  std::size_t size() const;

 private:
  using Generation = std::unordered_map<std::string, Checked>;
  Checked* lookup(const std::string& name);

  const std::size_t half_;
  mutable std::mutex mutex_;
  Generation young_, old_;
};

}  // namespace symcached::store
