#include "object/dwarf/lines.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace symcached::object {
namespace {

using dwarf::Slot;

constexpr std::uint64_t kNoTable = ~std::uint64_t{0};
constexpr std::size_t kMaxPath = 16384;

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 2 && path[1] == ':');
}

/// Puts `part` behind `path`, as a shell would enter it.
void append_path(std::string& path, std::string_view part) {
  if (part.empty() || path.size() + part.size() > kMaxPath) return;
  if (is_absolute(part)) path.clear();
  if (!path.empty() && !path.ends_with('/') && !path.ends_with('\\')) {
    const bool windows = path.find('/') == std::string::npos && path.find('\\') != std::string::npos;
    path += windows ? '\\' : '/';
  }
  path += part;
}

}  // namespace

void separate(std::vector<LineSequence>& sequences) {
  const auto overlap = [](const LineSequence& a, const LineSequence& b) { return a.end > b.start; };
  if (std::ranges::adjacent_find(sequences, overlap) == sequences.end()) return;
  std::vector<LineSequence> parts, open;
  std::uint64_t at = 0;
  const auto take = [&](std::uint64_t end) {  // of the innermost open one
    LineSequence part = open.back();
    part.start = std::exchange(at, end);
    part.end = end;
    parts.push_back(part);
  };
  const auto close_until = [&](std::uint64_t address) {
    for (; !open.empty() && open.back().end <= address; open.pop_back())
      if (at < open.back().end) take(open.back().end);
  };
  for (const LineSequence& sequence : sequences) {
    close_until(sequence.start);
    if (!open.empty() && at < sequence.start) take(sequence.start);
    at = sequence.start;
    open.push_back(sequence);
  }
  close_until(~std::uint64_t{0});
  sequences = std::move(parts);
}

Read<void> DwarfLines::start_unit(const dwarf::Unit& unit, std::string_view comp_dir) {
  const dwarf::Value* const list = unit.root.find(Slot::stmt_list);
  if (!budget_.spend(comp_dir.size())) return budget_.refusal("dwarf.work", unit.header.offset);
  comp_dir = comp_dir.substr(0, kMaxPath);
  const std::uint64_t table = list != nullptr ? list->number : kNoTable;
  if (table == table_ && comp_dir == comp_dir_ && unit.str_offsets_base == str_offsets_base_) return {};
  comp_dir_ = comp_dir;
  table_ = table;
  str_offsets_base_ = unit.str_offsets_base;
  rows_.clear();
  sequences_.clear();
  files_.clear();
  header_.files.clear();
  return table < unit.sections->line.size() ? read_table(unit) : Read<void>{};
}

Read<void> DwarfLines::read_table(const dwarf::Unit& unit) {
  const dwarf::Sections& sections = *unit.sections;
  const auto header = dwarf::read_line_header(sections, table_, header_, unit.str_offsets_base);
  if (header_.next > table_ && !budget_.spend(header_.next - table_)) return budget_.refusal("dwarf.line", table_);
  if (!header) {
    header_.files.clear();
    return {};
  }
  (void)dwarf::run_line_program(header_, sections.big_endian, rows_);  // leaves the rows before a fault
  files_.assign(header_.files.size(), 0);
  find_sequences();
  return {};
}

void DwarfLines::find_sequences() {
  for (std::size_t i = 0, first = 0; i < rows_.size(); ++i) {
    if (!rows_[i].end_sequence) continue;
    const LineSequence sequence{rows_[first].address, rows_[i].address, static_cast<std::uint32_t>(first),
                                static_cast<std::uint32_t>(i + 1 - first)};
    first = i + 1;
    if (sequence.start >= sequence.end || !is_code(code_, sequence.start)) continue;
    for (dwarf::LineRow& row : std::span(rows_.begin() + sequence.first, sequence.count - 1))
      row.file = static_cast<std::uint32_t>(file(row.file));
    dwarf::LineRow& last = rows_[i];
    last.file = last.line = last.column = 0;
    sequences_.push_back(sequence);
  }
  const auto order = [](const LineSequence& s) { return std::pair(s.start, s.first); };
  if (!std::ranges::is_sorted(sequences_, {}, order)) std::ranges::sort(sequences_, {}, order);
  separate(sequences_);
}

std::span<const dwarf::LineRow> DwarfLines::rows(std::uint64_t low, std::uint64_t high) const {
  const auto after = std::ranges::upper_bound(sequences_, low, {}, &LineSequence::start);
  const LineSequence* sequence = nullptr;
  if (after != sequences_.begin() && std::prev(after)->end > low) sequence = &*std::prev(after);
  else if (after != sequences_.end() && after->start < high) sequence = &*after;
  if (sequence == nullptr) return {};
  const auto all = rows(*sequence);
  auto begin = std::ranges::upper_bound(all, low, {}, &dwarf::LineRow::address);
  if (begin != all.begin()) --begin;
  const auto end = std::ranges::lower_bound(begin, all.end(), high, {}, &dwarf::LineRow::address);
  return {begin, end};
}

model::StringId DwarfLines::file(std::uint64_t number) {
  if (number >= files_.size()) return model::StringId::none;
  if (files_[number] != 0) return model::StringId{files_[number] - 1};
  const dwarf::LineFile& file = header_.files[number];
  model::StringId id = model::StringId::none;
  if (!file.name.empty()) {
    const std::string_view directory =
        file.directory < header_.directories.size() ? header_.directories[file.directory] : std::string_view();
    // Directory 0 is the compilation directory itself: where both are relative, they say the same.
    const bool says_it_twice = file.directory == 0 && !comp_dir_.empty() && !is_absolute(directory);
    path_ = comp_dir_;
    if (!says_it_twice) append_path(path_, directory);
    append_path(path_, file.name);
    if (budget_.spend(path_.size())) id = sink_.intern(path_);
  }
  files_[number] = static_cast<std::uint32_t>(id) + 1;
  return id;
}

}  // namespace symcached::object
