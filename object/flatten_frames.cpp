#include "object/flatten_frames.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint32_t kCloses = 0x80000000;

}  // namespace

void FrameFlattener::flatten(std::span<const FrameSite> sites, std::span<const FrameRange> ranges) {
  lines_.clear();
  inlinees_.clear();
  older_inlinee_.clear();
  active_.clear();
  current_.assign(sites.size(), kNone);
  newest_inlinee_.assign(sites.size(), kNone);
  collect_events(ranges);
  for (std::size_t i = 0; i < events_.size();) {
    const auto offset = static_cast<std::uint32_t>(events_[i] >> 32);
    for (; i < events_.size() && events_[i] >> 32 == offset; ++i) apply(static_cast<std::uint32_t>(events_[i]), ranges);
    emit(offset, sites, ranges);
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
  const auto at = std::ranges::lower_bound(active_, site);
  if (closes) active_.erase(at);
  else if (!was_active) active_.insert(at, site);
}

void FrameFlattener::emit(std::uint32_t offset, std::span<const FrameSite> sites, std::span<const FrameRange> ranges) {
  std::uint32_t leaf = kFunctionItself;
  std::uint32_t inlinee = model::kNoInlinee;
  FrameRange at{.start = offset};
  if (current_[kFunctionItself] != kNone) at = ranges[current_[kFunctionItself]];
  for (const std::uint32_t site : active_) {
    if (site == kFunctionItself || sites[site].caller != leaf) continue;
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
  for (std::uint32_t i = newest_inlinee_[site]; i != kNone; i = older_inlinee_[i])
    if (inlinees_[i] == wanted) return i;
  const auto index = static_cast<std::uint32_t>(inlinees_.size());
  inlinees_.push_back(wanted);
  older_inlinee_.push_back(newest_inlinee_[site]);
  newest_inlinee_[site] = index;
  return index;
}

}  // namespace symcached::object
