#include "object/pdb_omap.hpp"

#include <algorithm>

namespace symcached::object {

void find_moved_pieces(std::span<const pdb::OmapEntry> omap, std::uint32_t rva, std::uint32_t size,
                       std::vector<MovedPiece>& out) {
  out.clear();
  const auto source = [](const pdb::OmapEntry& e) { return std::uint32_t{e.source}; };
  auto entry = std::ranges::upper_bound(omap, rva, {}, source);
  if (entry == omap.begin()) return;
  const std::uint64_t end = std::uint64_t{rva} + size;
  for (--entry; entry != omap.end() && entry->source < end; ++entry) {
    const std::uint64_t from = std::max<std::uint64_t>(entry->source, rva);
    const std::uint64_t to = std::next(entry) == omap.end() ? end : std::min<std::uint64_t>(std::next(entry)->source, end);
    if (entry->target == 0 || from >= to) continue;
    const auto offset = static_cast<std::uint32_t>(from - rva);
    const auto target = static_cast<std::uint32_t>(entry->target + (from - entry->source));
    const auto length = static_cast<std::uint32_t>(to - from);
    if (!out.empty() && out.back().offset + out.back().size == offset && out.back().target + out.back().size == target)
      out.back().size += length;
    else
      out.push_back({offset, length, target});
  }
}

void emit_moved(std::span<const pdb::OmapEntry> omap, model::Function function, model::ModuleSink& sink) {
  std::vector<MovedPiece> pieces;
  find_moved_pieces(omap, static_cast<std::uint32_t>(function.start.value), function.size, pieces);
  const auto all = function.lines;
  std::vector<model::Line> lines;
  for (const MovedPiece& piece : pieces) {
    lines.clear();
    auto row = std::ranges::upper_bound(all, piece.offset, {}, &model::Line::offset);
    if (row != all.begin()) --row;
    for (; row != all.end() && row->offset < piece.offset + piece.size; ++row) {
      lines.push_back(*row);
      lines.back().offset = std::max(row->offset, piece.offset) - piece.offset;
    }
    function.start = {piece.target};
    function.size = piece.size;
    function.lines = lines;
    sink.function(function);
    if (function.kind == model::SymbolKind::cold_part) continue;
    function.parent = function.start;
    function.kind = model::SymbolKind::cold_part;
  }
}

}  // namespace symcached::object
