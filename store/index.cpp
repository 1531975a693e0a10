#include "store/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace symcached::store {
namespace {

constexpr double kSecondsPerDoubling = 4 * 3600;
constexpr double kLongestBonus = 48 * 3600;
constexpr std::int64_t kOutdated = 48 * 3600;
constexpr double kBlocksPerMiB = double{1 << 20} / kBlock;

}  // namespace

std::uint32_t blocks_of(std::uint64_t bytes) {
  const std::uint64_t blocks = bytes / kBlock + (bytes % kBlock != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, UINT32_MAX));
}

std::int64_t score(const Account& account, bool outdated) {
  const double per_mib = account.cost_ms * kBlocksPerMiB / std::max(account.blocks, 1u);
  const double bonus = std::min(kSecondsPerDoubling * std::log2(1 + per_mib), kLongestBonus);
  return std::int64_t{account.last_use} + static_cast<std::int64_t>(bonus) - (outdated ? kOutdated : 0);
}

std::size_t Index::Hash::operator()(const Name& name) const {
  std::uint64_t start;
  std::memcpy(&start, name.digest->data(), sizeof start);
  return start ^ name.place * 0x9e3779b97f4a7c15u;  // a digest is as good as random
}

std::size_t Index::Hash::operator()(std::uint32_t slot) const {
  const Record& record = (*records)[slot];
  return (*this)(Name{record.place, &record.digest});
}

bool Index::Same::operator()(const Name& a, std::uint32_t b) const {
  const Record& record = (*records)[b];
  return record.place == a.place && record.digest == *a.digest;
}

void Index::reserve(std::size_t entries) {
  entries = std::min(entries, kMaxEntries);
  records_.reserve(entries);
  slots_.reserve(entries);
}

std::optional<Index::KindId> Index::find_kind(std::string_view name) const {
  const auto found = std::ranges::find(kinds_, name, &Kind::name);
  if (found == kinds_.end()) return std::nullopt;
  return static_cast<KindId>(found - kinds_.begin());
}

std::optional<Index::KindId> Index::intern_kind(std::string_view name) {
  if (const auto known = find_kind(name)) return known;
  if (kinds_.size() == kMaxKinds) return std::nullopt;
  kinds_.push_back({.name = std::string(name)});
  return static_cast<KindId>(kinds_.size() - 1);
}

std::optional<Index::PlaceId> Index::find_place(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Index::PlaceId> Index::intern(std::string_view text) {
  if (const auto known = find_place(text)) return known;
  const auto place = parse_place(text);
  const auto kind = place && places_.size() < kMaxPlaces ? intern_kind(place->kind) : std::nullopt;
  if (!kind) return std::nullopt;
  const auto id = static_cast<PlaceId>(places_.size());
  places_.push_back({std::string(text), *kind, place->version});
  by_text_.emplace(text, id);
  if (place->version > kinds_[*kind].newest) new_version(*kind, place->version);
  return id;
}

/// All entries of the kind so far are of older versions now, and worth less. Seldom: when a program is updated.
void Index::new_version(KindId kind, std::uint32_t version) {
  kinds_[kind].newest = version;
  if (kinds_[kind].entries == 0) return;
  for (std::uint32_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].bucket == kNone || kind_of(records_[slot].place) != kind) continue;
    unlink(slot);
    link(slot);
  }
}

std::uint32_t Index::slot_of(PlaceId place, const Digest& digest) const {
  const auto found = slots_.find(Name{place, &digest});
  return found == slots_.end() ? kNone : *found;
}

std::uint32_t Index::new_slot() {
  if (free_ == kNone) {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }
  const std::uint32_t slot = free_;
  free_ = records_[slot].next;
  return slot;
}

std::uint32_t Index::bucket_of(const Record& record) const {
  const PlaceRow& place = places_[record.place];
  const std::int64_t value = score(account_of(record), place.version < kinds_[place.kind].newest);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(value, 0) / kBucket);
}

/// To the end of its bucket, and into the sums.
void Index::link(std::uint32_t slot) {
  Record& record = records_[slot];
  Kind& kind = kinds_[kind_of(record.place)];
  const std::uint32_t bucket = bucket_of(record);
  List& list = kind.buckets[bucket];
  record.bucket = bucket;
  record.prev = list.last;
  record.next = kNone;
  (list.last == kNone ? list.first : records_[list.last].next) = slot;
  list.last = slot;
  kind.blocks += record.blocks;
  blocks_ += record.blocks;
  ++kind.entries;
}

void Index::unlink(std::uint32_t slot) {
  Record& record = records_[slot];
  if (record.bucket == kNone) return;  // there was no memory to link it
  Kind& kind = kinds_[kind_of(record.place)];
  const auto place = kind.buckets.find(record.bucket);
  List& list = place->second;
  (record.prev == kNone ? list.first : records_[record.prev].next) = record.next;
  (record.next == kNone ? list.last : records_[record.next].prev) = record.prev;
  if (list.first == kNone) kind.buckets.erase(place);
  record.bucket = kNone;
  kind.blocks -= record.blocks;
  blocks_ -= record.blocks;
  --kind.entries;
}

void Index::put(PlaceId place, const Digest& digest, const Account& account) {
  std::uint32_t slot = slot_of(place, digest);
  const bool is_new = slot == kNone;
  if (is_new && entries() >= kMaxEntries) return;
  std::uint32_t last_use = account.last_use;
  if (is_new) {
    slot = new_slot();
    records_[slot].digest = digest;
    records_[slot].place = place;
    slots_.insert(slot);
  } else {
    last_use = std::max(last_use, records_[slot].last_use);
    unlink(slot);
  }
  Record& record = records_[slot];
  record.content = account.content;
  record.blocks = account.blocks;
  record.last_use = last_use;
  record.cost_ms = account.cost_ms;
  record.absent = account.absent;
  record.survey = survey_;
  link(slot);
}

bool Index::erase(PlaceId place, const Digest& digest) {
  const auto found = slots_.find(Name{place, &digest});
  if (found == slots_.end()) return false;
  const std::uint32_t slot = *found;
  slots_.erase(found);
  unlink(slot);
  records_[slot].next = free_;
  free_ = slot;
  return true;
}

Account Index::account_of(const Record& r) {
  return {.blocks = r.blocks, .last_use = r.last_use, .cost_ms = r.cost_ms, .content = r.content, .absent = r.absent};
}

Index::Entry Index::entry_of(const Record& record) const { return {record.place, record.digest, account_of(record)}; }

std::optional<Account> Index::find(PlaceId place, const Digest& digest) const {
  const std::uint32_t slot = slot_of(place, digest);
  return slot == kNone ? std::nullopt : std::optional(account_of(records_[slot]));
}

std::optional<Index::Entry> Index::least_valuable(std::optional<KindId> wanted) const {
  std::uint32_t lowest = kNone, slot = kNone;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if ((wanted && *wanted != kind) || kinds_[kind].buckets.empty()) continue;
    const auto& [bucket, list] = *kinds_[kind].buckets.begin();
    if (bucket >= lowest) continue;
    lowest = bucket;
    slot = list.first;
  }
  return slot == kNone ? std::nullopt : std::optional(entry_of(records_[slot]));
}

std::optional<Index::Entry> Index::at(std::size_t position) const {
  const Record& record = records_[position];
  return record.bucket == kNone ? std::nullopt : std::optional(entry_of(record));
}

bool Index::seen(PlaceId place, const Digest& digest) {
  const std::uint32_t slot = slot_of(place, digest);
  if (slot != kNone) records_[slot].survey = survey_;
  return slot != kNone;
}

}  // namespace symcached::store
