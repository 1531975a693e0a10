#pragma once
/// Keeps a cache directory within its limits: counts what is in it, makes room before an entry is published, removes
/// what nobody uses. Several processes may do so on one directory; each learns of the others by the journal.
#include <array>
#include <expected>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "store/disk_space.hpp"
#include "store/journal.hpp"
#include "store/limits.hpp"

namespace symcached::store {

/// Of the file system that has the cache directory, in bytes.
struct DiskRoom {
  std::uint64_t free;
  std::uint64_t size;
};
std::optional<DiskRoom> disk_room_of(const std::filesystem::path& directory);

enum class RemovedAs : std::uint8_t { evicted, expired };

struct QuotaOptions {
  CacheLimits limits = {};
  bool dry_run = false;  ///< nothing is removed or written; what would be counts as removed
  /// Called for each entry that goes, with its bytes on disk, under a lock: it must not call the Quotas.
  std::function<void(const std::string& name, std::uint64_t bytes, RemovedAs why)> removed = {};
  std::function<std::optional<DiskRoom>(const std::filesystem::path&)> disk_room = disk_room_of;  ///< a seam for tests
  SteadyClock now = [] { return std::chrono::steady_clock::now(); };
};

struct QuotaCounts {
  struct Kind {
    std::string name;
    std::uint64_t entries = 0, bytes = 0;
  };
  std::uint64_t entries = 0, bytes = 0;  ///< now; bytes on disk
  std::vector<Kind> kinds = {};
  std::uint64_t evicted = 0, expired = 0;  ///< entries, by this process so far
  std::uint64_t reclaimed = 0;             ///< bytes of both
};

/// Safe to use from any thread. A call may wait for the disk, but for used().
class Quotas {
 public:
  /// @param is_ours  whether the directory still is, asked before anything is removed or written
  Quotas(std::filesystem::path directory, std::uint64_t boot, std::function<bool()> is_ours, QuotaOptions options);

  /// Room for one entry that is being written: it counts as used until the entry is published, or this is dropped.
  class Claim {
   public:
    Claim() = default;  ///< of nothing
    Claim(Claim&& other) noexcept
        : quotas_(std::exchange(other.quotas_, nullptr)),
          kind_(other.kind_),
          blocks_(std::exchange(other.blocks_, 0)) {}
    Claim& operator=(Claim&&) = delete;
    ~Claim() {
      if (quotas_ != nullptr) quotas_->release(*this);
    }
    std::uint64_t bytes() const { return blocks_ * kBlock; }

   private:
    friend class Quotas;
    Quotas* quotas_ = nullptr;
    Index::KindId kind_ = 0;
    std::uint32_t blocks_ = 0;
  };

  /// Why an entry of `bytes` could not be kept even if it were the only one; nothing if it could. Evicts nothing.
  std::optional<std::string> objection(const std::string& name, std::uint64_t bytes);
  /// Makes the claim of `name` one of `bytes`, and evicts until that fits. Nothing is evicted where that would not do.
  /// @param unwritten  bytes of them that the disk does not have yet
  /// @return nothing, or why the entry cannot be kept; then the claim is one of nothing
  std::expected<void, std::string> claim(Claim& claim, const std::string& name, std::uint64_t bytes,
                                         std::uint64_t unwritten);
  /// The entry lies in the directory now. @param claim  it counts by that no longer
  void published(const std::string& name, const Account& account, Claim claim);
  void published(const std::string& name, const Account& account) { published(name, account, Claim()); }
  void removed(const std::string& name);
  /// Does not wait: noted with the next call that does.
  void used(const std::string& name);
  /// Other names of the same kind and version for the readable key of `name` whose content is `content`: of other
  /// scopes.
  std::vector<std::string> twins_of(const std::string& name, std::uint64_t content);

  /// After the disk was full: evicts at least `bytes`, the least valuable first. @return whether anything went
  bool free_up(std::uint64_t bytes);
  /// Evicts until all limits hold; learns what others did.
  /// @return whether they do: with everything evicted, too little may be free still
  bool enforce(const std::stop_token& stop = {});
  /// Removes what was not used for longer than its limit by `now` (Unix time in seconds).
  void expire(std::uint32_t now, const std::stop_token& stop = {});

  // For a survey (store/survey.hpp).
  void begin_survey();
  /// @param blocks, last_use  as its file has them; 0 blocks for a further name of a file. @return whether it is known
  bool survey(const std::string& name, std::uint32_t blocks, std::uint32_t last_use);
  /// Forgets what the survey did not see and is not there. @return how many entries that were
  std::size_t end_survey();

  QuotaCounts counts();
  /// Others from now on; the next claim and enforce() see to it that they hold.
  void use(CacheLimits limits);

 private:
  static constexpr std::size_t kMaxUses = 4096;  ///< that wait to be noted; the files themselves know, too
  static constexpr std::size_t kStep = 1024;     ///< entries looked at under one lock

  using Lock = std::scoped_lock<std::mutex>;

  bool refresh();
  void release(Claim& claim);
  void take(Claim& claim, Index::KindId kind, std::uint32_t blocks);
  void give_back(Claim& claim);
  const Quota* quota_of(std::optional<Index::KindId> kind) const;
  std::uint64_t used(std::optional<Index::KindId> kind) const;
  std::uint64_t reserved(std::optional<Index::KindId> kind) const;
  std::optional<std::string> objection(std::optional<Index::KindId> kind, std::uint64_t bytes);
  bool make_room(std::optional<Index::KindId> kind, std::uint64_t blocks);
  bool fits(std::optional<Index::KindId> kind, std::uint64_t blocks) const;
  void look_at_disk();
  std::uint64_t missing_free(const Quota& quota, std::uint64_t bytes = 0);
  bool make_free(std::optional<Index::KindId> kind, std::uint64_t bytes);
  bool evict(std::optional<Index::KindId> kind);
  std::optional<Account> on_disk(const Index::Entry& entry) const;
  bool is_unchanged(const Index::Entry& entry);
  void remove(const Index::Entry& entry, RemovedAs why);
  bool hand_on(const Index::Entry& entry);
  bool enforce_step(bool& all_hold);
  bool expire_step(std::size_t from, std::uint32_t now);
  bool survey_step(std::size_t from, std::size_t& gone);
  bool is_expired(const Index::Entry& entry, std::uint32_t now) const;
  std::string name_of(const Index::Entry& entry) const;
  std::filesystem::path path_of(const Index::Entry& entry) const { return directory_ / name_of(entry); }

  const std::filesystem::path directory_;
  const std::function<bool()> is_ours_;

  std::mutex mutex_;  ///< of what follows
  QuotaOptions options_;
  Index index_;
  Journal journal_;
  std::array<std::uint64_t, Index::kMaxKinds> reserved_{};  ///< blocks claimed, by kind
  std::uint64_t all_reserved_ = 0;
  std::optional<DiskRoom> room_;  ///< as it was at room_at_, and what went since
  SteadyTime room_at_{};
  std::uint64_t evicted_ = 0, expired_ = 0, reclaimed_ = 0;

  std::mutex uses_mutex_;
  std::vector<std::string> uses_;
};

}  // namespace symcached::store
