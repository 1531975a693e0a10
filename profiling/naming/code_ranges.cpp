#include "profiling/naming/code_ranges.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace symcached::pprof {
namespace {

/// Whether `a` is the better name of two for the same code: a function before a label, what others link to before what
/// is local, few underscores in front, short, and then by the alphabet.
bool is_better(const CodeSymbol& a, const CodeSymbol& b, std::string_view names) {
  const auto rough = [](const CodeSymbol& s) { return std::tuple(!s.is_function, s.is_local); };
  if (rough(a) != rough(b)) return rough(a) < rough(b);
  const std::string_view left = plain_name(names, a.name), right = plain_name(names, b.name);
  const auto fine = [](std::string_view text) { return std::tuple(text.find_first_not_of('_'), text.size(), text); };
  return fine(left) < fine(right);
}

/// Collects ranges front to back.
class Output {
 public:
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t name) {
    if (end <= begin) return;
    if (!out_.empty() && name != CodeRange::kNoName && out_.back().name == name && end_of(out_.back()) == begin)
      begin = out_.back().begin, out_.pop_back();
    const std::uint64_t size = std::min<std::uint64_t>(end - begin, std::numeric_limits<std::uint32_t>::max());
    out_.push_back({begin, static_cast<std::uint32_t>(size), name});
  }
  static std::uint64_t end_of(const CodeRange& range) { return range.begin + range.size; }
  std::vector<CodeRange> finish() && { return std::move(out_); }

 private:
  std::vector<CodeRange> out_;
};

/// Cuts symbols with sizes where others begin within them.
std::vector<CodeRange> without_overlaps(std::span<const CodeSymbol> symbols) {
  Output out;
  std::vector<const CodeSymbol*> open;  // the last begun counts
  std::uint64_t at = 0;
  const auto close = [&](std::uint64_t until) {
    while (!open.empty()) {
      const std::uint64_t end = std::min(open.back()->end, until);
      out.add(at, end, open.back()->name);
      at = std::max(at, end);
      if (open.back()->end > until) return;
      open.pop_back();
    }
  };
  for (const CodeSymbol& symbol : symbols) {
    close(symbol.begin);
    at = symbol.begin;
    open.push_back(&symbol);
  }
  close(std::numeric_limits<std::uint64_t>::max());
  return std::move(out).finish();
}

/// Where a symbol at `begin` ends for the frames: with the one it lies in, else before the next.
std::uint64_t end_by_frames(std::span<const FrameRange> frames, std::uint64_t begin) {
  const auto next = std::ranges::upper_bound(frames, begin, {}, &FrameRange::begin);
  if (next != frames.begin() && std::prev(next)->end > begin) return std::prev(next)->end;
  return next == frames.end() ? std::numeric_limits<std::uint64_t>::max() : next->begin;
}

/// Gives symbols without sizes the code behind them that nobody else claims.
/// @param taken  by those with sizes
std::vector<CodeRange> sized(std::span<const CodeSymbol> labels, std::span<const CodeRange> taken,
                             std::span<const FrameRange> frames) {
  std::vector<CodeRange> out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint64_t begin = labels[i].begin;
    if (find_range(taken, begin) != nullptr) continue;
    std::uint64_t end = std::min(labels[i].most, end_by_frames(frames, begin));
    const auto next = std::ranges::upper_bound(taken, begin, {}, &CodeRange::begin);
    if (next != taken.end()) end = std::min(end, next->begin);
    if (i + 1 < labels.size()) end = std::min(end, labels[i + 1].begin);
    if (end > begin)
      out.push_back(
          {begin, static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, 1u << 31)), labels[i].name});
  }
  return out;
}

/// Puts frames between the ranges.
std::vector<CodeRange> filled(std::span<const CodeRange> ranges, std::span<const FrameRange> frames) {
  Output out;
  std::size_t next = 0;
  std::uint64_t at = 0;
  for (const FrameRange& frame : frames) {
    at = std::max(at, frame.begin);
    for (; next < ranges.size() && ranges[next].begin < frame.end; ++next) {
      out.add(at, std::min(ranges[next].begin, frame.end), CodeRange::kNoName);
      out.add(ranges[next].begin, Output::end_of(ranges[next]), ranges[next].name);
      at = std::max(at, Output::end_of(ranges[next]));
    }
    out.add(at, frame.end, CodeRange::kNoName);
    at = std::max(at, frame.end);
  }
  for (; next < ranges.size(); ++next) out.add(ranges[next].begin, Output::end_of(ranges[next]), ranges[next].name);
  return std::move(out).finish();
}

void sort_once_each(std::vector<CodeSymbol>& symbols, std::string_view names) {
  const auto place = [](const CodeSymbol& s) { return std::tuple(s.begin, ~s.end); };
  std::ranges::sort(symbols, [&](const CodeSymbol& a, const CodeSymbol& b) {
    return place(a) != place(b) ? place(a) < place(b) : is_better(a, b, names);
  });
  const auto again = std::ranges::unique(symbols, {}, place);
  symbols.erase(again.begin(), again.end());
}

}  // namespace

std::vector<CodeRange> lay_out(std::vector<CodeSymbol> symbols, std::vector<FrameRange> frames,
                               std::string_view names) {
  const auto labels_at = std::ranges::partition(symbols, [](const CodeSymbol& s) { return s.end > s.begin; }).begin();
  std::vector<CodeSymbol> labels(labels_at, symbols.end());
  symbols.erase(labels_at, symbols.end());
  sort_once_each(symbols, names);
  sort_once_each(labels, names);
  std::ranges::sort(frames);

  std::vector<CodeRange> ranges = without_overlaps(symbols);
  const std::vector<CodeRange> more = sized(labels, ranges, frames);
  const auto middle = ranges.insert(ranges.end(), more.begin(), more.end());
  std::ranges::inplace_merge(ranges, middle, {}, &CodeRange::begin);
  return filled(ranges, frames);
}

const CodeRange* find_range(std::span<const CodeRange> ranges, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(ranges, address, {}, &CodeRange::begin);
  if (next == ranges.begin()) return nullptr;
  const CodeRange& found = *std::prev(next);
  return address - found.begin < found.size ? &found : nullptr;
}

std::string_view plain_name(std::string_view names, std::uint32_t offset) {
  if (offset >= names.size()) return {};
  const std::string_view rest = names.substr(offset);
  const std::string_view name = rest.substr(0, rest.find('\0'));
  const std::size_t version = name.find('@');
  return version == name.npos || version == 0 ? name : name.substr(0, version);
}

}  // namespace symcached::pprof
