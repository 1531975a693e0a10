#include "object/pdb/omap.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

constexpr std::uint64_t kStepsOfNew = 8;  ///< an Inlinee is kept, and written

}  // namespace

std::uint64_t find_moved_pieces(std::span<const pdb::OmapEntry> omap, std::uint32_t rva, std::uint32_t size,
                                std::uint64_t limit, std::vector<MovedPiece>& out) {
  out.clear();
  const auto source = [](const pdb::OmapEntry& e) { return std::uint32_t{e.source}; };
  auto entry = std::ranges::upper_bound(omap, rva, {}, source);
  if (entry == omap.begin()) {
    if (entry == omap.end() || entry->source - rva >= size) return 0;
  } else {
    --entry;
  }
  const std::uint64_t end = std::uint64_t{rva} + size;
  std::uint64_t looked_at = 0;
  for (; entry != omap.end() && entry->source < end; ++entry) {
    if (looked_at++ == limit) return looked_at;
    const std::uint64_t from = std::max<std::uint64_t>(entry->source, rva);
    const std::uint64_t to =
        std::next(entry) == omap.end() ? end : std::min<std::uint64_t>(std::next(entry)->source, end);
    if (entry->target == 0 || from >= to) continue;
    const auto offset = static_cast<std::uint32_t>(from - rva);
    const auto target = static_cast<std::uint32_t>(entry->target + (from - entry->source));
    const auto length = static_cast<std::uint32_t>(to - from);
    if (!out.empty() && out.back().offset + out.back().size == offset && out.back().target + out.back().size == target)
      out.back().size += length;
    else out.push_back({offset, length, target});
  }
  return looked_at;
}

void OmapMover::cut(const model::Function& whole, const MovedPiece& piece) {
  lines_.clear();
  inlinees_.clear();
  const auto all = whole.lines;
  auto row = std::ranges::upper_bound(all, piece.offset, {}, &model::Line::offset);
  if (row != all.begin()) --row;
  for (; row != all.end() && row->offset < std::uint64_t{piece.offset} + piece.size; ++row) {
    lines_.push_back(*row);
    lines_.back().offset = std::max(row->offset, piece.offset) - piece.offset;
  }
  used_.clear();
  for (const model::Line& line : lines_)
    for (std::uint32_t i = line.inlinee; i != model::kNoInlinee && kept_[i] == 0; i = whole.inlinees[i].caller) {
      kept_[i] = 1;
      used_.push_back(i);
    }
  std::ranges::sort(used_);  // callers have lower numbers
  const auto renumbered = [&](std::uint32_t i) { return i == model::kNoInlinee ? i : kept_[i] - 1; };
  for (const std::uint32_t i : used_) {
    inlinees_.push_back(whole.inlinees[i]);
    inlinees_.back().caller = renumbered(inlinees_.back().caller);
    kept_[i] = static_cast<std::uint32_t>(inlinees_.size());
  }
  for (model::Line& line : lines_) line.inlinee = renumbered(line.inlinee);
  for (const std::uint32_t i : used_) kept_[i] = 0;
}

Read<void> OmapMover::emit(model::Function function, model::ModuleSink& sink, WorkBudget& budget) {
  if (function.kind == model::SymbolKind::cold_part) {
    find_moved_pieces(omap_, static_cast<std::uint32_t>(function.parent.value), 1, 1, pieces_);
    if (!pieces_.empty()) function.parent = {pieces_[0].target};
  }
  const auto rva = static_cast<std::uint32_t>(function.start.value);
  const std::uint64_t looked_at = find_moved_pieces(omap_, rva, function.size, pieces_left_ + 1, pieces_);
  if (looked_at > pieces_left_ + 1) return too_large("pdb.omap_from_source.overlap", 0, looked_at, pieces_left_ + 1);
  if (looked_at > 1) pieces_left_ -= looked_at - 1;
  const model::Function whole = function;
  kept_.assign(whole.inlinees.size(), 0);
  for (const MovedPiece& piece : pieces_) {
    cut(whole, piece);
    if (!budget.spend(lines_.size() + kStepsOfNew * inlinees_.size()))
      return budget.refusal("pdb.work", function.start.value);
    function.start = {piece.target};
    function.size = piece.size;
    function.lines = lines_;
    function.inlinees = inlinees_;
    sink.function(function);
    if (function.kind == model::SymbolKind::cold_part) continue;
    function.parent = function.start;
    function.kind = model::SymbolKind::cold_part;
  }
  return {};
}

}  // namespace symcached::object
