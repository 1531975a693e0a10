#include "formats/dwarf/package.hpp"

#include <algorithm>

#include "formats/dwarf/cursor.hpp"

namespace symcached::dwarf {
namespace {

constexpr std::string_view kField = "dwarf.unit_index";
constexpr std::uint64_t kHeaderSize = 16;
constexpr std::uint64_t kNumberSize = 4;  ///< of offsets and sizes, and of a row's number
constexpr std::uint64_t kIdSize = 8;

struct Column {
  unsigned version;
  std::uint32_t id;
  Bytes Sections::* member;
};
/// DW_SECT_ values. DWARF 5, section 7.3.5.3; of version 2 those of the GNU proposal.
constexpr Column kColumns[] = {
    {2, 1, &Sections::info},        {2, 2, &Sections::types},    {2, 3, &Sections::abbrev}, {2, 4, &Sections::line},
    {2, 6, &Sections::str_offsets}, {5, 1, &Sections::info},     {5, 3, &Sections::abbrev}, {5, 4, &Sections::line},
    {5, 6, &Sections::str_offsets}, {5, 8, &Sections::rnglists},
};

Bytes Sections::* member_of(unsigned version, std::uint32_t id) {
  for (const Column& column : kColumns)
    if (column.version == version && column.id == id) return column.member;
  return nullptr;
}

/// Sections that a package divides among its units.
constexpr Bytes Sections::* kDivided[] = {&Sections::info, &Sections::types,       &Sections::abbrev,
                                          &Sections::line, &Sections::str_offsets, &Sections::rnglists};

std::uint64_t fixed_at(Bytes section, std::uint64_t offset, unsigned size, bool big_endian) {
  if (big_endian) return Cursor<true>(section, offset).fixed_size(size);
  return Cursor<false>(section, offset).fixed_size(size);
}

}  // namespace

std::uint32_t UnitIndex::number(std::uint64_t offset) const {
  return static_cast<std::uint32_t>(fixed_at(section_, offset, kNumberSize, big_endian_));
}

Read<UnitIndex> UnitIndex::open(Bytes section, bool big_endian) {
  UnitIndex index;
  if (section.empty()) return index;
  if (section.size() < kHeaderSize) return truncated(kField, 0, kHeaderSize, section.size());
  index.section_ = section;
  index.big_endian_ = big_endian;
  // Version 2 is four bytes, version 5 is two, with two of padding behind.
  const std::uint32_t whole = index.number(0);
  index.version_ = whole == 2 ? 2 : static_cast<unsigned>(fixed_at(section, 0, 2, big_endian));
  if (index.version_ != 5 && whole != 2) return bad_value("dwarf.unit_index.version", 0, whole, 5);
  index.columns_ = index.number(4);
  index.rows_ = index.number(8);
  const std::uint64_t slots = index.number(12);
  if (index.columns_ > kMaxColumns) return too_large("dwarf.unit_index.columns", 4, index.columns_, kMaxColumns);
  // All counts are of 32 bits and columns are few: no product of them wraps around.
  const std::uint64_t table = std::uint64_t{index.rows_} * index.columns_ * kNumberSize;
  index.hashes_ = kHeaderSize;
  index.names_ = index.hashes_ + slots * (kIdSize + kNumberSize);
  index.offsets_ = index.names_ + index.columns_ * kNumberSize;
  index.sizes_ = index.offsets_ + table;
  if (index.sizes_ + table > section.size()) return truncated(kField, 0, index.sizes_ + table, section.size());
  if (auto ok = index.read_columns(); !ok) return std::unexpected(ok.error());
  if (auto ok = index.read_slots(slots); !ok) return std::unexpected(ok.error());
  return index;
}

Read<void> UnitIndex::read_columns() {
  for (std::uint32_t i = 0; i < columns_; ++i) {
    const std::uint64_t at = names_ + i * kNumberSize;
    const std::uint32_t id = number(at);
    const auto member = member_of(version_, id);
    if (member != nullptr && std::ranges::find(members_, member) != members_.end())
      return bad_value("dwarf.unit_index.column", at, id);
    members_[i] = member;
  }
  return {};
}

Read<void> UnitIndex::read_slots(std::uint64_t slots) {
  if (slots < rows_) return bad_value("dwarf.unit_index.slots", 12, slots, rows_);
  units_.reserve(rows_);
  std::vector<bool> taken(rows_);
  for (std::uint64_t i = 0; i < slots; ++i) {
    const std::uint64_t at = hashes_ + slots * kIdSize + i * kNumberSize;
    const std::uint32_t row = number(at);
    if (row == 0) continue;  // an empty slot
    if (row > rows_ || taken[row - 1]) return bad_value("dwarf.unit_index.row", at, row, rows_);
    taken[row - 1] = true;
    units_.push_back({fixed_at(section_, hashes_ + i * kIdSize, kIdSize, big_endian_), row - 1});
  }
  return {};
}

Read<Sections> UnitIndex::sections_of(std::uint32_t row, const Sections& package) const {
  Sections unit = package;
  unit.cu_index = unit.tu_index = {};
  for (const auto member : kDivided) unit.*member = {};
  for (std::uint32_t i = 0; i < columns_; ++i) {
    if (members_[i] == nullptr) continue;
    const std::uint64_t at = (std::uint64_t{row} * columns_ + i) * kNumberSize;
    const std::uint64_t offset = number(offsets_ + at), size = number(sizes_ + at);
    const Bytes whole = package.*members_[i];
    if (offset > whole.size() || size > whole.size() - offset)
      return truncated("dwarf.unit_index.offset", offsets_ + at, size,
                       offset < whole.size() ? whole.size() - offset : 0);
    unit.*members_[i] = whole.subspan(offset, size);
  }
  return unit;
}

}  // namespace symcached::dwarf
