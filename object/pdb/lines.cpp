#include "object/pdb/lines.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

/// A row takes eight bytes; functions that overlap (folded code) may read it more than once.
constexpr std::uint64_t kStepsPerByte = 8;

bool is_mark(std::uint32_t line) { return line == pdb::kAlwaysStepInto || line == pdb::kNeverStepInto; }

}  // namespace

void PdbLines::start_module(const pdb::C13& module, std::uint64_t bytes) {
  module_ = &module;
  read_ = nullptr;
  steps_left_ = bytes * kStepsPerByte;
}

Read<void> PdbLines::spend(std::uint64_t steps) {
  if (steps > steps_left_) return too_large("pdb.lines.overlap", 0, steps, steps_left_);
  steps_left_ -= steps;
  return {};
}

Read<void> PdbLines::append_ranges(pdb::SectionOffset start, std::uint32_t size, PdbStrings& strings,
                                   std::vector<FrameRange>& out) {
  const auto& tables = module_->lines;
  auto table = std::ranges::lower_bound(tables, start, {}, &pdb::LineTable::start);
  if (table != tables.begin() && (table == tables.end() || table->start != start)) {
    const auto before = std::ranges::lower_bound(tables, std::prev(table)->start, {}, &pdb::LineTable::start);
    const bool reaches = before->start.segment == start.segment && start.offset - before->start.offset < before->size;
    if (reaches)
      if (auto ok = append_table(*before, start, size, strings, out); !ok) return ok;
  }
  const auto holds = [&](const pdb::LineTable& t) {
    return t.start.segment == start.segment && t.start.offset - start.offset < size;
  };
  for (const pdb::LineTable* last = nullptr; table != tables.end() && holds(*table); ++table) {
    if (auto ok = spend(1); !ok) return ok;
    if (last != nullptr && last->start == table->start) continue;
    last = &*table;
    if (auto ok = append_table(*table, start, size, strings, out); !ok) return ok;
  }
  return {};
}

Read<void> PdbLines::append_table(const pdb::LineTable& table, pdb::SectionOffset start, std::uint32_t size,
                                  PdbStrings& strings, std::vector<FrameRange>& out) {
  if (&table != read_) {
    rows_.clear();
    read_ = nullptr;
    if (auto ok = spend(table.blocks.size() / sizeof(pdb::LineEntry)); !ok) return ok;
    if (auto ok = pdb::read_rows(table, rows_); !ok) return ok;
    read_ = &table;
  }
  const std::int64_t shift = std::int64_t{table.start.offset} - start.offset;
  const auto first = static_cast<std::uint32_t>(std::max<std::int64_t>(-shift, 0));  // of our bytes, in the table
  auto row = std::ranges::upper_bound(rows_, first, {}, &pdb::LineRow::offset);
  if (row != rows_.begin()) --row;
  std::uint32_t file = 0xFFFFFFFF;
  model::StringId file_id = model::StringId::none;
  for (; row != rows_.end() && shift + row->offset < size; ++row) {
    if (auto ok = spend(1); !ok) return ok;
    const auto next = std::next(row);
    const std::uint32_t row_end = next == rows_.end() ? table.size : std::min(next->offset, table.size);
    const std::int64_t from = std::max<std::int64_t>(shift + row->offset, out.empty() ? 0 : out.back().end);
    const std::int64_t to = std::min<std::int64_t>(shift + row_end, size);
    if (from >= to) continue;
    if (row->file != std::exchange(file, row->file)) file_id = strings.source_file(*module_, file);
    out.push_back({.start = static_cast<std::uint32_t>(from),
                   .end = static_cast<std::uint32_t>(to),
                   .site = kFunctionItself,
                   .line = is_mark(row->line) ? 0 : row->line,
                   .column = is_mark(row->line) ? 0 : row->column,
                   .file = file_id});
  }
  return {};
}

}  // namespace symcached::object
