#include "object/pdb/flatten_frames.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace symcached::object {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint32_t kCloses = 0x80000000;
constexpr int kOlderLookedAt = 32;              ///< a call from more lines than that may be listed twice
constexpr std::size_t kMaxInlinees = 1u << 20;  ///< of one function; further calls are left out
constexpr std::uint64_t kStepsAtOnce = 4096;    ///< taken off a budget that threads may share
constexpr std::uint64_t kStepsOfNew = 8;        ///< an Inlinee is kept, and written

}  // namespace

void NumberSet::reset(std::uint32_t limit) {
  std::uint32_t bits = limit;
  for (auto& level : words_) {
    bits = bits / 64 + 1;
    level.assign(bits, 0);
  }
}

void NumberSet::insert(std::uint32_t number) {
  for (auto& level : words_) {
    level[number / 64] |= std::uint64_t{1} << number % 64;
    number /= 64;
  }
}

void NumberSet::erase(std::uint32_t number) {
  for (auto& level : words_) {
    level[number / 64] &= ~(std::uint64_t{1} << number % 64);
    if (level[number / 64] != 0) return;
    number /= 64;
  }
}

std::uint32_t NumberSet::first_from(std::uint32_t from) const {
  for (std::uint32_t up = 0; up < kLevels; ++up) {
    std::uint32_t word = from / 64;
    if (word >= words_[up].size()) return kNone;
    std::uint64_t bits = words_[up][word] >> from % 64 << from % 64;
    if (up + 1 == kLevels)
      while (bits == 0 && ++word < words_[up].size()) bits = words_[up][word];
    if (bits == 0) {
      from = word + 1;
      continue;
    }
    std::uint32_t found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    for (std::uint32_t down = up; down-- > 0;)
      found = found * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[down][found]));
    return found;
  }
  return kNone;
}

bool FrameFlattener::flatten(std::span<const FrameSite> sites, std::span<const FrameRange> ranges, WorkBudget& budget) {
  lines_.clear();
  inlinees_.clear();
  older_inlinee_.clear();
  order_sites(sites);
  current_.assign(sites.size(), kNone);
  newest_inlinee_.assign(sites.size(), kNone);
  collect_events(ranges);
  for (std::size_t i = 0; i < events_.size();) {
    const auto offset = static_cast<std::uint32_t>(events_[i] >> 32);
    for (; i < events_.size() && events_[i] >> 32 == offset; ++i) apply(static_cast<std::uint32_t>(events_[i]), ranges);
    emit(offset, sites, ranges);
    if (steps_ >= kStepsAtOnce && !budget.spend(std::exchange(steps_, 0))) return false;
  }
  return budget.spend(std::exchange(steps_, 0));
}

void FrameFlattener::order_sites(std::span<const FrameSite> sites) {
  active_.reset(static_cast<std::uint32_t>(sites.size()));
  first_called_.assign(sites.size() + 1, 0);
  for (std::size_t i = 1; i < sites.size(); ++i) ++first_called_[sites[i].caller + 1];
  for (std::size_t i = 1; i < first_called_.size(); ++i) first_called_[i] += first_called_[i - 1];
  place_.assign(sites.size(), kNone);
  at_place_.resize(sites.size());
  std::vector<std::uint32_t>& next = newest_inlinee_;  // borrowed
  next.assign(first_called_.begin(), first_called_.end());
  for (std::uint32_t i = 1; i < sites.size(); ++i) {
    place_[i] = next[sites[i].caller]++;
    at_place_[place_[i]] = i;
  }
}

void FrameFlattener::collect_events(std::span<const FrameRange> ranges) {
  events_.clear();
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    events_.push_back(std::uint64_t{ranges[i].start} << 32 | i);
    const bool goes_on =
        i + 1 < ranges.size() && ranges[i + 1].site == ranges[i].site && ranges[i + 1].start == ranges[i].end;
    if (!goes_on) events_.push_back(std::uint64_t{ranges[i].end} << 32 | kCloses | i);
  }
  std::ranges::sort(events_);
}

void FrameFlattener::apply(std::uint32_t event, std::span<const FrameRange> ranges) {
  const std::uint32_t range = event & ~kCloses;
  const std::uint32_t site = ranges[range].site;
  const bool closes = (event & kCloses) != 0;
  if (closes && current_[site] != range) return;  // the next range of the site has opened at the same offset
  const bool was_active = current_[site] != kNone;
  current_[site] = closes ? kNone : range;
  if (site == kFunctionItself) return;
  if (closes) active_.erase(place_[site]);
  else if (!was_active) active_.insert(place_[site]);
}

void FrameFlattener::emit(std::uint32_t offset, std::span<const FrameSite> sites, std::span<const FrameRange> ranges) {
  std::uint32_t leaf = kFunctionItself;
  std::uint32_t inlinee = model::kNoInlinee;
  FrameRange at{.start = offset};
  ++steps_;
  if (current_[kFunctionItself] != kNone) at = ranges[current_[kFunctionItself]];
  for (std::uint32_t depth = 0; depth < kMaxDepth && inlinees_.size() < kMaxInlinees; ++depth) {
    const std::uint32_t place = active_.first_from(first_called_[leaf]);
    if (place >= first_called_[leaf + 1]) break;
    ++steps_;
    const std::uint32_t site = at_place_[place];
    inlinee = inlinee_of(site, {inlinee, sites[site].name, at.file, at.line, at.column});
    leaf = site;
    at = ranges[current_[site]];
  }
  const model::Line line{offset, at.line, at.column, at.file, inlinee};
  if (!lines_.empty()) {
    model::Line last = lines_.back();
    last.offset = offset;
    if (last == line) return;
  }
  lines_.push_back(line);
}

std::uint32_t FrameFlattener::inlinee_of(std::uint32_t site, const model::Inlinee& wanted) {
  int looked_at = 0;
  for (std::uint32_t i = newest_inlinee_[site]; i != kNone && looked_at < kOlderLookedAt;
       i = older_inlinee_[i], ++looked_at)
    if (inlinees_[i] == wanted) return steps_ += static_cast<std::uint64_t>(looked_at), i;
  steps_ += static_cast<std::uint64_t>(looked_at) + kStepsOfNew;
  const auto index = static_cast<std::uint32_t>(inlinees_.size());
  inlinees_.push_back(wanted);
  older_inlinee_.push_back(newest_inlinee_[site]);
  newest_inlinee_[site] = index;
  return index;
}

}  // namespace symcached::object
