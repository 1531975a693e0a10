#include "store/quotas.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/quantity.hpp"

namespace symcached::store {
namespace {

constexpr std::chrono::seconds kRoomAge{1};  ///< for so long free space is not asked for again

std::uint64_t wanted_free(const FreeSpace& space, const DiskRoom& room) {
  const double part = static_cast<double>(room.size) * std::clamp(space.percent, 0.0, 100.0) / 100;
  return std::max(space.bytes, static_cast<std::uint64_t>(part));
}

}  // namespace

std::optional<DiskRoom> disk_room_of(const std::filesystem::path& directory) {
  struct statvfs info{};
  if (::statvfs(directory.c_str(), &info) != 0) return std::nullopt;
  return DiskRoom{std::uint64_t{info.f_bavail} * info.f_frsize, std::uint64_t{info.f_blocks} * info.f_frsize};
}

Quotas::Quotas(std::filesystem::path directory, std::uint64_t boot, std::function<bool()> is_ours, QuotaOptions options)
    : directory_(std::move(directory)),
      is_ours_(std::move(is_ours)),
      options_(std::move(options)),
      journal_(directory_, boot, options_.dry_run ? Journal::Mode::read_only : Journal::Mode::shared) {}

std::string Quotas::name_of(const Index::Entry& entry) const {
  return entry_name(index_.place_text(entry.place), entry.digest);
}

void Quotas::use(CacheLimits limits) {
  const Lock lock(mutex_);
  options_.limits = std::move(limits);
}

/// Learns what others did, and what was used here. @return whether the directory is ours; nothing may be done if not
bool Quotas::refresh() {
  if (!is_ours_()) return false;
  journal_.refresh(index_);
  std::vector<std::string> uses;
  {
    const Lock lock(uses_mutex_);
    uses.swap(uses_);
  }
  for (const std::string& name : uses) {
    const auto parsed = parse_entry_name(name);
    const auto place = parsed ? index_.find_place(parsed->place) : std::nullopt;
    auto account = place ? index_.find(*place, parsed->digest) : std::nullopt;
    if (!account) continue;
    account->last_use = static_cast<std::uint32_t>(std::time(nullptr));
    index_.put(*place, parsed->digest, *account);
    journal_.note(index_, *place, parsed->digest);
  }
  journal_.flush(index_);
  return true;
}

void Quotas::used(const std::string& name) {
  const Lock lock(uses_mutex_);
  if (uses_.size() < kMaxUses) uses_.push_back(name);
}

std::optional<std::string> Quotas::objection(const std::string& name, std::uint64_t bytes) {
  const auto parsed = parse_entry_name(name);
  const Lock lock(mutex_);
  const auto place = parsed && refresh() ? index_.intern(parsed->place) : std::nullopt;
  if (!place) return std::nullopt;  // claim() says why not
  room_.reset();                    // others may have filled the disk this second
  auto why = objection(index_.kind_of(*place), bytes);
  return why ? std::move(why) : objection(std::nullopt, bytes);
}

std::optional<std::string> Quotas::objection(std::optional<Index::KindId> kind, std::uint64_t bytes) {
  const Quota* const quota = quota_of(kind);
  if (quota == nullptr) return std::nullopt;
  const std::string keys = kind ? fmt::format("caches.{}", index_.kind_name(*kind)) : "caches";
  if (quota->max_size && bytes > *quota->max_size)
    return fmt::format("{} do not fit into the cache: {}.max_size is {}", size_text(bytes), keys,
                       size_text(*quota->max_size));
  look_at_disk();
  if (!room_ || (kind && quota->min_free.bytes == 0 && quota->min_free.percent <= 0)) return std::nullopt;
  const std::uint64_t most = room_->free + used(kind) + reserved(kind),
                      kept_free = wanted_free(quota->min_free, *room_);
  const std::uint64_t left = most > kept_free ? most - kept_free : 0;
  if (bytes <= left) return std::nullopt;
  return fmt::format("{} do not fit on the disk of the cache: it has {} at most, with {} left free ({}.min_free)",
                     size_text(bytes), size_text(left), size_text(kept_free), keys);
}

std::expected<void, std::string> Quotas::claim(Claim& claim, const std::string& name, std::uint64_t bytes,
                                               std::uint64_t unwritten) {
  const auto parsed = parse_entry_name(name);
  if (!parsed) return std::unexpected(fmt::format("{} is no name of an entry", name));
  const std::uint32_t blocks = blocks_of(bytes);
  const Lock lock(mutex_);
  give_back(claim);
  if (!refresh()) return {};  // publishing says why not
  const auto place = index_.intern(parsed->place);
  if (!place) return std::unexpected(fmt::format("too many kinds or scopes to add {}", parsed->place));
  const Index::KindId kind = index_.kind_of(*place);
  const bool has_room =
      make_room(kind, blocks) && make_room({}, blocks) && make_free(kind, unwritten) && make_free({}, unwritten);
  journal_.flush(index_);
  if (!has_room)
    return std::unexpected(fmt::format("no room for {} in the cache: its limits leave less (caches.max_size, min_free)",
                                       size_text(blocks * kBlock)));
  if (room_) room_->free -= std::min(room_->free, unwritten);  // until the disk is asked again
  take(claim, kind, blocks);
  return {};
}

void Quotas::take(Claim& claim, Index::KindId kind, std::uint32_t blocks) {
  reserved_[kind] += blocks;
  all_reserved_ += blocks;
  claim.quotas_ = this;
  claim.kind_ = kind;
  claim.blocks_ = blocks;
}

void Quotas::give_back(Claim& claim) {
  if (claim.quotas_ == nullptr) return;
  reserved_[claim.kind_] -= claim.blocks_;
  all_reserved_ -= claim.blocks_;
  claim.quotas_ = nullptr;
  claim.blocks_ = 0;
}

void Quotas::release(Claim& claim) {
  const Lock lock(mutex_);
  give_back(claim);
}

void Quotas::published(const std::string& name, const Account& account, Claim claim) {
  const auto parsed = parse_entry_name(name);
  const Lock lock(mutex_);
  give_back(claim);
  const auto place = parsed && refresh() ? index_.intern(parsed->place) : std::nullopt;
  if (!place) return;
  index_.put(*place, parsed->digest, account);
  journal_.note(index_, *place, parsed->digest);
  journal_.flush(index_);
}

void Quotas::removed(const std::string& name) {
  const auto parsed = parse_entry_name(name);
  const Lock lock(mutex_);
  const auto place = parsed && refresh() ? index_.find_place(parsed->place) : std::nullopt;
  if (!place || !index_.erase(*place, parsed->digest)) return;
  journal_.note(index_, *place, parsed->digest);
  journal_.flush(index_);
}

std::vector<std::string> Quotas::twins_of(const std::string& name, std::uint64_t content) {
  std::vector<std::string> twins;
  const auto parsed = parse_entry_name(name);
  const auto here = parsed ? parse_place(parsed->place) : std::nullopt;
  const Lock lock(mutex_);
  const auto own = here && refresh() ? index_.intern(parsed->place) : std::nullopt;
  for (std::size_t i = 0; own && i < index_.places(); ++i) {
    const auto place = static_cast<Index::PlaceId>(i);
    if (place == *own || index_.kind_of(place) != index_.kind_of(*own)) continue;
    const auto account = index_.find(place, parsed->digest);
    if (!account || account->content != content || account->absent) continue;
    if (parse_place(index_.place_text(place))->version == here->version)
      twins.push_back(entry_name(index_.place_text(place), parsed->digest));
  }
  return twins;
}

/// Of all, like the next ones, if there is no kind.
const Quota* Quotas::quota_of(std::optional<Index::KindId> kind) const {
  if (!kind) return &options_.limits.total;
  const auto found = options_.limits.kinds.find(index_.kind_name(*kind));
  return found == options_.limits.kinds.end() ? nullptr : &found->second.quota;
}

/// Bytes of all entries.
std::uint64_t Quotas::used(std::optional<Index::KindId> kind) const {
  return kind ? index_.bytes(*kind) : index_.bytes();
}

/// Bytes of all claims.
std::uint64_t Quotas::reserved(std::optional<Index::KindId> kind) const {
  return (kind ? reserved_[*kind] : all_reserved_) * kBlock;
}

bool Quotas::fits(std::optional<Index::KindId> kind, std::uint64_t blocks) const {
  const Quota* const quota = quota_of(kind);
  if (quota == nullptr || !quota->max_size) return true;
  return used(kind) + reserved(kind) + blocks * kBlock <= *quota->max_size;
}

bool Quotas::make_room(std::optional<Index::KindId> kind, std::uint64_t blocks) {
  const Quota* const quota = quota_of(kind);
  if (quota != nullptr && quota->max_size && reserved(kind) + blocks * kBlock > *quota->max_size)
    return false;  // what is being written cannot be evicted
  while (!fits(kind, blocks))
    if (!evict(kind)) return false;
  return true;
}

void Quotas::look_at_disk() {
  const SteadyTime now = options_.now();
  if (room_ && (options_.dry_run || now - room_at_ < kRoomAge)) return;
  room_ = options_.disk_room(directory_);
  room_at_ = now;
}

/// Of min_free, when `bytes` more are written.
std::uint64_t Quotas::missing_free(const Quota& quota, std::uint64_t bytes) {
  if (quota.min_free.bytes == 0 && quota.min_free.percent <= 0) return 0;
  look_at_disk();
  if (!room_) return 0;
  const std::uint64_t wanted = wanted_free(quota.min_free, *room_) + bytes;
  return wanted > room_->free ? wanted - room_->free : 0;
}

bool Quotas::make_free(std::optional<Index::KindId> kind, std::uint64_t bytes) {
  const Quota* const quota = quota_of(kind);
  if (quota == nullptr || missing_free(*quota, bytes) > used(kind)) return quota == nullptr;
  while (missing_free(*quota, bytes) != 0)
    if (!evict(kind)) return false;
  return true;
}

/// @return whether the index holds less than before; what others deleted counts
bool Quotas::evict(std::optional<Index::KindId> kind) {
  while (const auto victim = index_.least_valuable(kind)) {
    if (is_unchanged(*victim)) {
      remove(*victim, RemovedAs::evicted);
      return true;
    }
    if (!index_.find(victim->place, victim->digest)) return true;
  }
  return false;
}

/// What its file says; nothing if there is none any more.
std::optional<Account> Quotas::on_disk(const Index::Entry& entry) const {
  struct stat info{};
  if (::lstat(path_of(entry).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  Account account = entry.account;
  account.last_use = static_cast<std::uint32_t>(info.st_mtim.tv_sec);
  if (account.blocks != 0) account.blocks = blocks_of(static_cast<std::uint64_t>(info.st_size));
  return account;
}

/// Others use and delete entries without telling us; such an entry is no victim, but known better from now on.
bool Quotas::is_unchanged(const Index::Entry& entry) {
  const auto now = on_disk(entry);
  if (now && now->last_use <= entry.account.last_use) return true;
  if (now) index_.put(entry.place, entry.digest, *now);
  else index_.erase(entry.place, entry.digest);
  journal_.note(index_, entry.place, entry.digest);
  return false;
}

void Quotas::remove(const Index::Entry& entry, RemovedAs why) {
  const std::uint64_t bytes = entry.account.blocks * kBlock;
  index_.erase(entry.place, entry.digest);
  journal_.note(index_, entry.place, entry.digest);
  ++(why == RemovedAs::evicted ? evicted_ : expired_);
  if (!hand_on(entry)) {
    reclaimed_ += bytes;
    if (room_) room_->free += bytes;
  }
  if (!options_.dry_run) ::unlink(path_of(entry).c_str());
  if (options_.removed) options_.removed(name_of(entry), bytes, why);
}

/// If the file has another name, its bytes count for that from now on. @return whether it has
bool Quotas::hand_on(const Index::Entry& entry) {
  struct stat info{};
  if (entry.account.blocks == 0) return true;
  if (::lstat(path_of(entry).c_str(), &info) != 0 || info.st_nlink < 2) return false;
  for (std::size_t i = 0; i < index_.places(); ++i) {
    const auto place = static_cast<Index::PlaceId>(i);
    if (index_.kind_of(place) != index_.kind_of(entry.place)) continue;
    auto twin = index_.find(place, entry.digest);
    if (!twin || twin->blocks != 0 || twin->content != entry.account.content) continue;
    twin->blocks = entry.account.blocks;
    index_.put(place, entry.digest, *twin);
    journal_.note(index_, place, entry.digest);
    return true;
  }
  return false;
}

bool Quotas::free_up(std::uint64_t bytes) {
  const Lock lock(mutex_);
  if (!refresh()) return false;
  room_.reset();
  const std::uint64_t before = reclaimed_;
  while (reclaimed_ - before < bytes && evict({})) {
  }
  journal_.flush(index_);
  return reclaimed_ != before;
}

/// @return whether all limits hold, or nothing more can be done about them
bool Quotas::enforce_step(bool& all_hold) {
  const Lock lock(mutex_);
  all_hold = refresh();
  if (!all_hold) return true;
  std::size_t left = kStep;
  const auto keep_to = [&](std::optional<Index::KindId> kind) {
    const Quota* const quota = quota_of(kind);
    if (quota == nullptr) return;
    const auto holds = [&] { return fits(kind, 0) && missing_free(*quota) == 0; };
    while (left != 0 && !holds() && evict(kind)) --left;
    all_hold = all_hold && holds();
  };
  for (std::size_t kind = 0; kind < index_.kinds(); ++kind) keep_to(static_cast<Index::KindId>(kind));
  keep_to({});
  journal_.flush(index_);
  return left != 0;
}

bool Quotas::enforce(const std::stop_token& stop) {
  bool all_hold = false;
  while (!stop.stop_requested() && !enforce_step(all_hold)) {
  }
  return all_hold;
}

bool Quotas::is_expired(const Index::Entry& entry, std::uint32_t now) const {
  const std::int64_t unused = std::int64_t{now} - entry.account.last_use;
  if (entry.account.absent && unused > options_.limits.max_absent_for.count()) return true;
  const auto kind = options_.limits.kinds.find(index_.kind_name(index_.kind_of(entry.place)));
  const bool has_own = kind != options_.limits.kinds.end() && kind->second.max_unused_for;
  const auto& limit = has_own ? kind->second.max_unused_for : options_.limits.max_unused_for;
  return limit && unused > limit->count();
}

/// @return whether there are more
bool Quotas::expire_step(std::size_t from, std::uint32_t now) {
  const Lock lock(mutex_);
  if (!refresh()) return false;
  const std::size_t end = std::min(from + kStep, index_.positions());
  for (std::size_t position = from; position < end; ++position) {
    const auto entry = index_.at(position);
    if (entry && is_expired(*entry, now) && is_unchanged(*entry)) remove(*entry, RemovedAs::expired);
  }
  journal_.flush(index_);
  return end < index_.positions();
}

void Quotas::expire(std::uint32_t now, const std::stop_token& stop) {
  for (std::size_t from = 0; !stop.stop_requested() && expire_step(from, now); from += kStep) {
  }
}

void Quotas::begin_survey() {
  const Lock lock(mutex_);
  if (refresh()) index_.begin_survey();
}

bool Quotas::survey(const std::string& name, std::uint32_t blocks, std::uint32_t last_use) {
  const auto parsed = parse_entry_name(name);
  const Lock lock(mutex_);
  const auto place = parsed && refresh() ? index_.find_place(parsed->place) : std::nullopt;
  if (!place || !index_.seen(*place, parsed->digest)) return false;
  Account account = *index_.find(*place, parsed->digest);
  if (account.last_use == last_use && account.blocks == blocks) return true;
  account.last_use = last_use;
  account.blocks = blocks;
  index_.erase(*place, parsed->digest);  // as put() takes no last use back
  index_.put(*place, parsed->digest, account);
  journal_.note(index_, *place, parsed->digest);
  journal_.flush(index_);
  return true;
}

bool Quotas::survey_step(std::size_t from, std::size_t& gone) {
  const Lock lock(mutex_);
  if (!refresh()) return false;
  const std::size_t end = std::min(from + kStep, index_.positions());
  for (std::size_t position = from; position < end; ++position) {
    const auto entry = index_.at(position);
    if (!entry || index_.was_seen(position) || on_disk(*entry)) continue;
    index_.erase(entry->place, entry->digest);
    journal_.note(index_, entry->place, entry->digest);
    ++gone;
  }
  journal_.flush(index_);
  return end < index_.positions();
}

std::size_t Quotas::end_survey() {
  std::size_t gone = 0;
  for (std::size_t from = 0; survey_step(from, gone); from += kStep) {
  }
  return gone;
}

QuotaCounts Quotas::counts() {
  const Lock lock(mutex_);
  refresh();
  QuotaCounts counts{.entries = index_.entries(),
                     .bytes = index_.bytes(),
                     .evicted = evicted_,
                     .expired = expired_,
                     .reclaimed = reclaimed_};
  for (std::size_t i = 0; i < index_.kinds(); ++i) {
    const auto kind = static_cast<Index::KindId>(i);
    counts.kinds.push_back({std::string(index_.kind_name(kind)), index_.entries(kind), index_.bytes(kind)});
  }
  return counts;
}

}  // namespace symcached::store
