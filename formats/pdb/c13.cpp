#include "formats/pdb/c13.hpp"

#include <algorithm>

namespace symcached::pdb {
namespace {

constexpr std::uint32_t kHaveColumns = 1;
constexpr std::uint32_t kExtendedInlinees = 1;

Read<LineTable> read_line_table(Bytes data) {
  ByteReader in(data);
  SC_TRY(const auto head, in.read<LinesHead>("pdb.lines"));
  return LineTable{{head.segment, head.offset}, head.code_size, (head.flags & kHaveColumns) != 0, in.rest()};
}

Read<void> read_inlinees(Bytes data, std::vector<InlineeLine>& out) {
  ByteReader in(data);
  SC_TRY(const std::uint32_t signature, in.read<u32le>("pdb.inlinee_lines.signature"));
  if (signature > kExtendedInlinees) return bad_value("pdb.inlinee_lines.signature", 0, signature, kExtendedInlinees);
  if (signature != kExtendedInlinees) {
    SC_TRY(const auto all, in.array<InlineeLine>(in.left() / sizeof(InlineeLine), "pdb.inlinee_lines"));
    out.insert(out.end(), all.begin(), all.end());
    return {};
  }
  while (!in.at_end()) {
    SC_TRY(const auto entry, in.read<InlineeLine>("pdb.inlinee_lines.entry"));
    SC_TRY(const std::uint32_t extra, in.read<u32le>("pdb.inlinee_lines.extra_files"));
    if (auto ok = in.skip(std::uint64_t{extra} * 4, "pdb.inlinee_lines.extra_files"); !ok) return ok;
    out.push_back(entry);
  }
  return {};
}

Read<void> read_imports(Bytes data, std::vector<CrossScopeImport>& out) {
  ByteReader in(data);
  while (!in.at_end()) {
    SC_TRY(const auto head, in.read<CrossScopeImportHead>("pdb.cross_scope_imports"));
    SC_TRY(const auto ids, in.array<u32le>(head.count, "pdb.cross_scope_imports.ids"));
    out.push_back({head.module, ids});
  }
  return {};
}

}  // namespace

Read<void> C13::read(Bytes data) {
  lines.clear();
  inlinees.clear();
  imports.clear();
  exports = {};
  checksums = {};
  ByteReader in(data);
  while (in.left() >= sizeof(SubsectionHead)) {
    SC_TRY(const auto head, in.read<SubsectionHead>("pdb.c13"));
    SC_TRY(const Bytes body, in.take(head.length, "pdb.c13.length"));
    in.align(4);
    switch (static_cast<SubsectionKind>(std::uint32_t{head.kind})) {
      case SubsectionKind::lines: {
        SC_TRY(const auto table, read_line_table(body));
        if (table.start.segment != 0) lines.push_back(table);
        break;
      }
      case SubsectionKind::file_checksums: checksums = body; break;
      case SubsectionKind::inlinee_lines:
        if (auto ok = read_inlinees(body, inlinees); !ok) return ok;
        break;
      case SubsectionKind::cross_scope_imports:
        if (auto ok = read_imports(body, imports); !ok) return ok;
        break;
      case SubsectionKind::cross_scope_exports: {
        SC_TRY(exports, ByteReader(body).array<CrossScopeExport>(body.size() / sizeof(CrossScopeExport),
                                                                 "pdb.cross_scope_exports"));
        break;
      }
    }
  }
  std::ranges::stable_sort(lines, {}, &LineTable::start);
  const auto id = [](const InlineeLine& l) { return std::uint32_t{l.inlinee}; };
  if (!std::ranges::is_sorted(inlinees, {}, id)) std::ranges::stable_sort(inlinees, {}, id);
  return {};
}

const InlineeLine* C13::inlinee(std::uint32_t id) const {
  const auto at =
      std::ranges::lower_bound(inlinees, id, {}, [](const InlineeLine& l) { return std::uint32_t{l.inlinee}; });
  return at != inlinees.end() && at->inlinee == id ? &*at : nullptr;
}

std::optional<std::uint32_t> C13::file_name(std::uint32_t checksum_offset) const {
  const auto head = read_at<FileChecksumHead>(checksums, checksum_offset, "pdb.file_checksums");
  if (!head) return std::nullopt;
  return head->name;
}

Read<void> read_rows(const LineTable& table, std::vector<LineRow>& out) {
  const std::size_t first = out.size();
  ByteReader in(table.blocks);
  while (in.left() >= sizeof(LinesBlockHead)) {
    SC_TRY(const auto block, in.read<LinesBlockHead>("pdb.lines.block"));
    if (block.block_size < sizeof(LinesBlockHead))
      return bad_value("pdb.lines.block_size", in.position(), block.block_size, sizeof(LinesBlockHead));
    SC_TRY(const Bytes body, in.take(block.block_size - sizeof(LinesBlockHead), "pdb.lines.block_size"));
    ByteReader entries(body);
    SC_TRY(const auto lines, entries.array<LineEntry>(block.line_count, "pdb.lines.entries"));
    std::span<const ColumnEntry> columns;
    if (table.has_columns) {
      SC_TRY(columns, entries.array<ColumnEntry>(block.line_count, "pdb.lines.columns"));
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
      out.push_back(
          {lines[i].offset, lines[i].line(), columns.empty() ? 0u : std::uint32_t{columns[i].start}, block.file});
  }
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
  const auto by_offset = [](const LineRow& a, const LineRow& b) { return a.offset < b.offset; };
  if (!std::is_sorted(begin, out.end(), by_offset)) std::stable_sort(begin, out.end(), by_offset);
  return {};
}

}  // namespace symcached::pdb
