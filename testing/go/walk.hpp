#pragma once
/// Touches everything a table offers, so that a sanitizer sees every byte the reader would hand out.
#include "formats/go/inline_tree.hpp"
#include "formats/go/table.hpp"

namespace symcached::testkit {

inline std::uint64_t total_of(const go::Table& table, std::uint32_t at, unsigned& steps_left) {
  std::uint64_t total = 0;
  for (go::PcValues values = table.values(at); steps_left > 0 && values.next(); --steps_left)
    total += values.end() + static_cast<std::uint64_t>(values.value());
  return total;
}

/// Bounded: a small table may be read by many functions.
inline std::uint64_t walk_everything(const go::Table& table) {
  std::uint64_t total = table.check_order().has_value() + table.end_pc() + table.records_end();
  unsigned steps_left = 1u << 20;
  for (std::uint32_t i = 0; i < table.size() && steps_left > 0; ++i) {
    const auto function = table.function(table.entry(i));
    if (!function) continue;
    total += table.name(function->name).size() + total_of(table, function->pcln, steps_left);
    for (go::PcValues files = table.values(function->pcfile); steps_left > 0 && files.next(); --steps_left)
      if (const auto slot = table.file_slot(*function, files.value())) total += table.file(*slot).size();
    for (std::uint32_t j = 0; j < 4; ++j) {
      total += total_of(table, table.pcdata(*function, j), steps_left) + table.funcdata(*function, j).value_or(0);
    }
    steps_left -= steps_left > 0 ? 1 : 0;
  }
  for (const go::InlineSpec& spec : go::inline_specs(table.form())) {
    const go::InlineTree tree(table.bytes(), spec.form, table.container());
    for (std::uint64_t i = 0; i < tree.room(); ++i) total += tree[i].name;
  }
  return total;
}

}  // namespace symcached::testkit
