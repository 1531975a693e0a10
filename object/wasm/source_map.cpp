#include "object/wasm/source_map.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

/// Rows that say something of [start, end): from the last one at or before the start on.
std::span<const sourcemap::Row> rows_in(const sourcemap::SourceMap& map, std::uint64_t start, std::uint64_t end) {
  auto first = std::ranges::upper_bound(map.rows, start, {}, &sourcemap::Row::offset);
  const auto last = std::ranges::lower_bound(first, map.rows.end(), end, {}, &sourcemap::Row::offset);
  if (first != map.rows.begin()) --first;
  return {first, last};
}

}  // namespace

std::optional<sourcemap::SourceMap> source_map_of(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::source_map) continue;
    if (auto map = sourcemap::read_source_map(one.file)) return std::move(*map);
  }
  return std::nullopt;
}

std::vector<CodeRange> emit_mapped(const sourcemap::SourceMap& map, std::span<const MappedFunction> functions,
                                   model::ModuleSink& sink) {
  std::vector<model::StringId> files;
  for (const std::string& source : map.sources) files.push_back(sink.intern(source));
  std::vector<CodeRange> covered;
  std::vector<model::Line> lines;
  for (const MappedFunction& function : functions) {
    const std::uint64_t end = function.start + function.size;
    lines.clear();
    for (const sourcemap::Row& row : rows_in(map, function.start, end)) {
      const auto offset = static_cast<std::uint32_t>(std::max(row.offset, function.start) - function.start);
      const bool known = row.source != sourcemap::kNoSource;
      const model::Line line{.offset = offset,
                             .line = row.line,
                             .column = row.column,
                             .file = known ? files[row.source] : model::StringId::none};
      if (!lines.empty() && lines.back().offset == offset) lines.back() = line;
      else lines.push_back(line);
    }
    const auto is_known = [](const model::Line& line) { return line.file != model::StringId::none; };
    if (function.size == 0 || std::ranges::none_of(lines, is_known)) continue;
    covered.push_back({function.start, end});
    sink.function({.start = {function.start},
                   .size = function.size,
                   .name = sink.intern(function.name),
                   .lines = lines,
                   .inlinees = {}});
  }
  return covered;
}

}  // namespace symcached::object
