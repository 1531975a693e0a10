#pragma once
/// The cache: look an entry up, publish one, remember why there is none.
#include <atomic>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "store/checked_files.hpp"
#include "store/directory.hpp"
#include "store/entry_writer.hpp"
#include "store/key_lock.hpp"
#include "store/lookup.hpp"

struct stat;

namespace symcached::store {

struct StoreOptions {
  NegativeLimits negatives = {};
  std::size_t max_absent_files = 10'000;  ///< written by one run at most
  TemporaryFiles temporary_files = TemporaryFiles::unnamed;
  /// False: a payload counts as it is, unread. For those who check what they read of it, and write to a directory of
  /// their own; an entry that was cut or has another head is a Miss all the same.
  bool checks_payloads = true;
  SteadyClock now = [] { return std::chrono::steady_clock::now(); };
  QuotaOptions quotas = {};  ///< of a cache directory; they share `now`
};

/// Safe to use from any thread, and from several programs on one directory. Throws nothing but std::bad_alloc, and
/// that not from a lookup. A process that limits the size of its files (RLIMIT_FSIZE) has to ignore SIGXFSZ.
class Store {
 public:
  /// Takes over an empty directory, creates a missing one, removes nothing. `boot` names this run.
  /// @return the store, or a sentence: the directory has other things in it, is none, or cannot be written to
  static std::expected<std::unique_ptr<Store>, std::string> open(std::filesystem::path directory, std::uint64_t boot,
                                                                 StoreOptions options = {});
  /// Leaves nothing on any disk when the process ends, however it ends. For commands. Holds a descriptor for each
  /// entry, of which the first are forgotten (UnnamedFiles::kMostKept).
  static std::unique_ptr<Store> unnamed(StoreOptions options = {});
  /// Of files that no other process has.
  Store(std::unique_ptr<Files> files, StoreOptions options);

  /// Removes temporary files of runs that were killed, and nothing else: all of them if no other process uses the
  /// directory, otherwise what is older than a day. For a server, once it knows that it will run.
  /// @return how many files that were
  std::size_t remove_left_overs() { return parts_->files->remove_left_overs(); }

  /// A file on disk counts before anything remembered; of the rest the newer. An entry that does not hold is a Miss.
  /// Cost: one open and one fstat when this run has checked the file before; otherwise its payload is read once.
  /// Writes nothing but the time of last use.
  Lookup lookup(const EntryKey& key);
  /// The same without ever reading a payload: nothing if lookup() would have to. For threads that must not wait.
  std::optional<Lookup> lookup_checked(const EntryKey& key);

  /// `identity` is what the original was (see lookup.hpp). Fails at once while no_space(), for a scope that can be no
  /// part of a path (entry_name.hpp), and for what the limits and the disk never have room for; nothing is evicted
  /// then.
  /// @param size  bytes that the payload is said to have; 0: not known. Nobody relies on it: the room is made as it
  /// comes
  std::expected<EntryWriter, std::string> create(const EntryKey& key, std::string_view identity = {},
                                                 std::uint64_t size = 0);
  /// What another scope has for the same key, made of the original whose payload has the digest `source`, becomes the
  /// entry of `key`, too; the caller knows that this scope has that original. Null if there is none.
  std::shared_ptr<const Entry> share(const EntryKey& key, const Sha256& source);
  /// In memory, for this run. Does not wait.
  void remember(const EntryKey& key, const Negative& negative);
  /// Forgets all that is remembered, for sources that are others now.
  void forget_negatives() { parts_->negatives.clear(); }
  /// Writes the Absent remembered for `key` to disk, up to max_absent_files. To be called when Absent::worth_keeping,
  /// from a thread that may wait.
  std::expected<void, std::string> keep(const EntryKey& key);
  /// Forgets the entry and what is remembered.
  void remove(const EntryKey& key);

  /// Whoever makes an entry holds its lock meanwhile; nothing if somebody else does, here or in another process.
  std::optional<KeyLocks::Guard> try_lock(const EntryKey& key);

  /// Why there is no point in making an entry now: the last write found no space, less than a minute ago. Nothing
  /// otherwise.
  std::optional<std::string> no_space() const { return parts_->space.full(); }

  /// Of a cache directory; null for unnamed(). Lives as long as the store.
  Quotas* quotas() { return parts_->quotas.get(); }

  std::filesystem::path path_of(const EntryKey& key) const;
  static TimePoint now() { return std::chrono::time_point_cast<Milliseconds>(Clock::now()); }

 private:
  std::optional<Lookup> look(const EntryKey& key, bool may_read_payload);
  std::optional<Lookup> look_at(Descriptor file, const EntryKey& key, const std::string& name, bool may_read_payload);
  Lookup without_file(const std::string& name, std::optional<Absent> on_disk = {});
  Lookup hit(Descriptor file, std::shared_ptr<const Head> head, const struct stat& info, const std::string& name);
  bool has_file(const std::string& name) const;
  Exhausted exhausted(const std::string& name, std::string_view doing, int error) const;
  std::expected<EntryWriter, std::string> create_with(const EntryKey& key, Head head, std::uint64_t size = 0);

  Store(std::shared_ptr<Parts> parts, std::filesystem::path directory, std::function<bool()> is_ours,
        std::size_t max_absent_files);

  const std::shared_ptr<Parts> parts_;
  const std::size_t max_absent_files_;
  bool checks_payloads_ = true;
  std::atomic<std::size_t> absent_files_ = 0;
  CheckedFiles checked_;
  KeyLocks locks_;
};

}  // namespace symcached::store
