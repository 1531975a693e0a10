#include "object/text/breakpad_frames.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace symcached::object {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMaxInlinees = std::size_t{1} << 20;  ///< of one function; further calls are left out
constexpr std::uint64_t kStepsAtOnce = 4096;
constexpr std::uint64_t kStepsOfNew = 8;  ///< an Inlinee is kept, and written

}  // namespace

void BreakpadFrames::start(std::uint64_t start, std::uint32_t size) {
  start_ = start;
  size_ = size;
  rows_.clear();
  calls_.clear();
  ranges_.clear();
  events_.clear();
  offsets_.clear();
  lines_.clear();
  inlinees_.clear();
}

BreakpadFrames::Cut BreakpadFrames::cut(std::uint64_t address, std::uint64_t size) const {
  if (address < start_) {
    const std::uint64_t before = start_ - address;
    if (before >= size) return {};
    size -= before;
    address = start_;
  }
  const std::uint64_t offset = address - start_;
  if (offset >= size_) return {};
  return {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset + std::min(size, size_ - offset))};
}

void BreakpadFrames::add_line(std::uint64_t address, std::uint64_t size, std::uint32_t line, model::StringId file) {
  if (const Cut c = cut(address, size); c.start < c.end) rows_.push_back({c.start, c.end, line, file});
}

void BreakpadFrames::add_call(std::uint32_t depth, model::StringId name, model::StringId call_file,
                              std::uint32_t call_line) {
  calls_.push_back({depth, kNone, {kNone, name, call_file, call_line, 0}});
}

void BreakpadFrames::add_call_range(std::uint64_t address, std::uint64_t size) {
  const std::uint32_t depth = calls_.back().depth;
  if (const Cut c = cut(address, size); c.start < c.end && depth < kMaxDepth)
    ranges_.push_back({depth, c.start, c.end, static_cast<std::uint32_t>(calls_.size() - 1)});
}

void BreakpadFrames::order_rows() {
  if (!std::ranges::is_sorted(rows_, {}, &Row::start)) std::ranges::stable_sort(rows_, {}, &Row::start);
  std::uint32_t end = 0;
  for (Row& row : rows_) {
    row.start = std::max(row.start, end);
    end = std::max(row.end, end);
  }
  std::erase_if(rows_, [](const Row& row) { return row.start >= row.end; });
}

void BreakpadFrames::order_calls() {
  std::ranges::stable_sort(ranges_, {}, [](const CallRange& r) { return std::tuple(r.depth, r.start); });
  std::uint32_t depth = 0, end = 0;
  for (const CallRange& range : ranges_) {
    if (range.depth != depth) end = 0;
    depth = range.depth;
    const std::uint32_t from = std::max(range.start, end);
    if (from >= range.end) continue;
    end = range.end;
    events_.push_back({from, true, depth, range.call});
    events_.push_back({end, false, depth, kNone});
  }
  std::ranges::sort(events_, {}, [](const Event& e) { return std::tuple(e.offset, e.opens, e.depth); });
}

void BreakpadFrames::collect_offsets() {
  for (const Row& row : rows_) {
    offsets_.push_back(row.start);
    offsets_.push_back(row.end);
  }
  for (const Event& event : events_) offsets_.push_back(event.offset);
  if (!std::ranges::is_sorted(offsets_)) std::ranges::sort(offsets_);
  const auto repeated = std::ranges::unique(offsets_);
  offsets_.erase(repeated.begin(), repeated.end());
}

std::uint32_t BreakpadFrames::innermost() {
  std::uint32_t leaf = model::kNoInlinee;
  ++steps_;
  for (const std::uint32_t call : open_) {
    if (call == kNone || inlinees_.size() == kMaxInlinees) break;
    leaf = inlinee_of(calls_[call], leaf);
    ++steps_;
  }
  return leaf;
}

/// Almost always a call has one caller, and one Inlinee.
std::uint32_t BreakpadFrames::inlinee_of(Call& call, std::uint32_t caller) {
  if (call.newest != kNone && inlinees_[call.newest].caller == caller) return call.newest;
  steps_ += kStepsOfNew;
  call.newest = static_cast<std::uint32_t>(inlinees_.size());
  call.inlinee.caller = caller;
  inlinees_.push_back(call.inlinee);
  return call.newest;
}

bool BreakpadFrames::finish(WorkBudget& budget) {
  order_rows();
  order_calls();
  collect_offsets();
  open_.assign(ranges_.empty() ? 0 : ranges_.back().depth + 1, kNone);
  std::size_t row = 0, event = 0;
  for (const std::uint32_t offset : offsets_) {
    if (offset == size_) break;
    if (steps_ >= kStepsAtOnce && !budget.spend(std::exchange(steps_, 0))) return false;
    for (; event < events_.size() && events_[event].offset == offset; ++event)
      open_[events_[event].depth] = events_[event].call;
    while (row < rows_.size() && rows_[row].end <= offset) ++row;
    model::Line line{.offset = offset, .inlinee = innermost()};
    if (row < rows_.size() && rows_[row].start <= offset) {
      line.line = rows_[row].line;
      line.file = rows_[row].file;
    }
    if (!lines_.empty()) {
      model::Line same = lines_.back();
      same.offset = offset;
      if (same == line) continue;
    }
    lines_.push_back(line);
  }
  return budget.spend(std::exchange(steps_, 0));
}

}  // namespace symcached::object
