#include "object/dwarf/inline_rows.hpp"

#include <algorithm>

namespace symcached::object {

void InlineRows::build(std::uint64_t low, std::uint64_t high, std::span<const dwarf::LineRow> rows,
                       std::span<const model::Inlinee> scopes, std::span<const ScopeRange> ranges) {
  lines_.clear();
  inlinees_.clear();
  open_.clear();
  numbers_.assign(scopes.size(), model::kNoInlinee);
  if (rows.empty() && ranges.empty()) return;
  const dwarf::LineRow* row = rows.data();
  const dwarf::LineRow* const rows_end = row + rows.size();
  const ScopeRange* range = ranges.data();
  const ScopeRange* const ranges_end = range + ranges.size();
  model::Line line;
  for (std::uint64_t at = low; at < high;) {
    for (; row != rows_end && row->address <= at; ++row) {
      line.line = row->line;
      line.column = row->column;
      line.file = model::StringId{row->file};
    }
    while (!open_.empty() && open_.back().end <= at) open_.pop_back();
    for (; range != ranges_end && range->start <= at; ++range)
      if (range->end > at) open_.push_back({range->end, inlinee_of(scopes, range->scope)});
    line.inlinee = open_.empty() ? model::kNoInlinee : open_.back().inlinee;
    line.offset = static_cast<std::uint32_t>(at - low);
    const bool says_nothing = line.line == 0 && line.file == model::StringId::none && line.inlinee == model::kNoInlinee;
    if (lines_.empty() ? !says_nothing
                       : line.line != lines_.back().line || line.file != lines_.back().file ||
                             line.column != lines_.back().column || line.inlinee != lines_.back().inlinee)
      lines_.push_back(line);
    std::uint64_t next = high;
    if (!open_.empty()) next = std::min(next, open_.back().end);
    if (row != rows_end) next = std::min(next, row->address);
    if (range != ranges_end) next = std::min(next, range->start);
    at = next;
  }
}

/// The scope's number among those this function needs; its callers get theirs first.
std::uint32_t InlineRows::inlinee_of(std::span<const model::Inlinee> scopes, std::uint32_t scope) {
  for (chain_.clear(); scope != model::kNoInlinee && numbers_[scope] == model::kNoInlinee; scope = scopes[scope].caller)
    chain_.push_back(scope);
  std::uint32_t number = scope == model::kNoInlinee ? model::kNoInlinee : numbers_[scope];
  for (; !chain_.empty(); chain_.pop_back()) {
    model::Inlinee call = scopes[chain_.back()];
    call.caller = std::exchange(number, static_cast<std::uint32_t>(inlinees_.size()));
    numbers_[chain_.back()] = number;
    inlinees_.push_back(call);
  }
  return number;
}

}  // namespace symcached::object
