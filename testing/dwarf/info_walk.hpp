#pragma once
/// Everything that formats/dwarf reads of .debug_info, read.
#include <cstdlib>

#include "formats/dwarf/unit.hpp"

namespace symcached::testkit {

namespace detail {

/// Each entry is read and stepped over; both must end at the same place.
template <bool Big>
void walk_entries(const dwarf::Unit& unit, std::uint64_t& work) {
  dwarf::Cursor<Big> in(unit.sections->info.first(unit.header.end), unit.children);
  dwarf::Values values;
  std::vector<dwarf::Range> ranges;
  while (!in.at_end()) {
    const std::uint64_t code = in.uleb();
    if (code == 0) continue;
    const dwarf::Abbrev* const abbrev = unit.abbrevs->find(code);
    if (abbrev == nullptr) return;
    dwarf::Cursor<Big> over = in;
    dwarf::read_values(in, *unit.abbrevs, *abbrev, unit.header.encoding, values);
    dwarf::skip_values(over, *unit.abbrevs, *abbrev, unit.header.encoding);
    // What a form holds may be refused where it is read (a number of 65 bits) and passed where it is not.
    if (!in.failed() && (over.failed() || over.position() != in.position())) std::abort();
    for (const auto slot : {dwarf::Slot::name, dwarf::Slot::linkage_name, dwarf::Slot::comp_dir})
      if (const dwarf::Value* value = values.find(slot); value != nullptr && work > 0)
        if (const auto text = unit.text(*value)) work -= std::min(work, std::uint64_t{text->size()});
    if (work == 0) return;
    ranges.clear();
    const dwarf::RangesRead read = dwarf::append_ranges(unit, values, ranges);
    if (read.bytes < ranges.size() && (read.bytes != 0 || ranges.size() > 1)) std::abort();
    for (const dwarf::Range& range : ranges)
      if (range.low >= range.high) std::abort();
    work -= std::min(work, read.bytes + 1);
  }
}

}  // namespace detail

/// Aborts where a promise of unit.hpp or die.hpp is broken.
inline void walk_info(const dwarf::Sections& sections) {
  const auto units = dwarf::read_unit_headers(sections.info, sections.big_endian);
  if (!units) return;
  std::uint64_t work = 16u << 20, end = 0;  // bytes that entries name again and again
  for (const dwarf::UnitHeader& header : *units) {
    if (header.offset < end || header.entries < header.offset || header.end < header.entries ||
        header.end > sections.info.size())
      std::abort();
    end = header.end;
    auto table = dwarf::AbbrevTable::read(sections.abbrev, header.abbrevs, header.encoding);
    if (!table || table->bytes() > work) return;
    work -= table->bytes();
    dwarf::Unit unit;
    unit.sections = &sections;
    unit.header = header;
    unit.addr = sections.addr;
    unit.ranges = sections.ranges;
    unit.abbrevs = std::make_shared<const dwarf::AbbrevTable>(*std::move(table));
    if (!unit.open()) continue;
    if (sections.big_endian) detail::walk_entries<true>(unit, work);
    else detail::walk_entries<false>(unit, work);
  }
}

}  // namespace symcached::testkit
