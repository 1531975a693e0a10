#include "object/dwarf/files.hpp"

#include <algorithm>

#include "formats/dwarf/package.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kTableBytesKept = 4u << 20;  ///< as they stand in their section; compiled, ten times as many
constexpr std::size_t kUnitsKept = 1024;
constexpr std::size_t kMaxFiles = 1u << 20;  ///< keys have room for more than twice as many

std::uint64_t key_of(std::uint32_t file, std::uint64_t offset) { return std::uint64_t{file} << 44 ^ offset; }

/// Whether the unit may be what a skeleton stands for. Before DWARF 5 a split unit's header says no more than others'.
bool may_be_split(const dwarf::UnitHeader& header) {
  if (header.encoding.version >= 5) return header.type == dwarf::UnitType::split_compile;
  return header.type == dwarf::UnitType::compile;
}

}  // namespace

std::uint64_t dwo_id_of(const dwarf::Unit& unit) {
  return unit.header.id != 0 ? unit.header.id : unit.root.number(dwarf::Slot::dwo_id);
}

std::ptrdiff_t DwarfFile::unit_at(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(units, offset, {}, &dwarf::UnitHeader::offset);
  if (after == units.begin() || offset >= std::prev(after)->end || offset < std::prev(after)->entries) return -1;
  return std::prev(after) - units.begin();
}

Read<DwarfFiles> DwarfFiles::open(const DwarfInput& input) {
  DwarfFiles files;
  files.count(input.sections);
  if (input.compressed_info) files.bytes_ += input.compressed_info->size;
  if (auto ok = files.add(input.sections); !ok) return std::unexpected(ok.error());
  if (input.supplementary != nullptr) {
    files.supplementary_ = static_cast<std::uint32_t>(files.files_.size());
    files.count(*input.supplementary);
    if (auto ok = files.add(*input.supplementary); !ok) return std::unexpected(ok.error());
  }
  for (const dwarf::Sections& sections : input.split)
    if (auto ok = files.add_split(sections); !ok) return std::unexpected(ok.error());
  return files;
}

void DwarfFiles::count(const dwarf::Sections& sections) {
  for (const Bytes section : {sections.info, sections.abbrev, sections.line, sections.str, sections.line_str,
                              sections.ranges, sections.rnglists, sections.addr, sections.str_offsets})
    bytes_ += section.size();
}

Read<void> DwarfFiles::add(const dwarf::Sections& sections) {
  SC_TRY(auto units, dwarf::read_unit_headers(sections.info, sections.big_endian));
  const auto index = static_cast<std::uint32_t>(files_.size());
  files_.push_back({&sections, std::move(units), index});
  return {};
}

Read<void> DwarfFiles::add_split(const dwarf::Sections& sections) {
  if (sections.big_endian != main().sections->big_endian) return {};  // of another machine's program
  if (files_.size() >= kMaxFiles) return too_large("dwarf.files", 0, files_.size(), kMaxFiles);
  count(sections);
  if (!sections.cu_index.empty()) return add_package(sections);
  const auto index = static_cast<std::uint32_t>(files_.size());
  if (auto ok = add(sections); !ok) return ok;
  WorkBudget budget(roots_budget());
  DwarfOpener opener(*this, budget);
  for (std::size_t i = 0; i < files_[index].units.size(); ++i) {
    const dwarf::UnitHeader& header = files_[index].units[i];
    if (!may_be_split(header)) continue;
    std::uint64_t id = header.id;
    if (header.encoding.version < 5) {
      SC_TRY(const dwarf::Unit unit, opener.open(index, i));
      id = dwo_id_of(unit);
    }
    if (id != 0) split_.try_emplace(id, SplitUnit{index, i});
  }
  return {};
}

/// Whether the units have the ids that the index says is seen when they are opened.
Read<void> DwarfFiles::add_package(const dwarf::Sections& package) {
  SC_TRY(const auto index, dwarf::UnitIndex::open(package.cu_index, package.big_endian));
  const auto first = static_cast<std::uint32_t>(files_.size());
  std::uint64_t left = package.info.size();
  for (const dwarf::PackedUnit& packed : index.units()) {
    SC_TRY(auto sections, index.sections_of(packed.row, package));
    if (packed.id == 0 || sections.info.empty()) continue;
    if (sections.info.size() > left)  // units on top of each other
      return bad_value("dwarf.unit_index.size", packed.row, sections.info.size(), left);
    left -= sections.info.size();
    if (files_.size() >= kMaxFiles) return too_large("dwarf.files", 0, files_.size(), kMaxFiles);
    const auto file = static_cast<std::uint32_t>(files_.size());
    if (auto ok = add(contributions_.emplace_back(sections)); !ok) return ok;
    files_.back().texts = first;
    const std::vector<dwarf::UnitHeader>& units = files_.back().units;
    const auto unit = std::ranges::find_if(units, may_be_split);
    if (unit == units.end()) continue;
    split_.try_emplace(packed.id, SplitUnit{file, static_cast<std::size_t>(unit - units.begin())});
  }
  return {};
}

SplitUnit DwarfFiles::split_unit(std::uint64_t dwo_id) const {
  const auto found = split_.find(dwo_id);
  return found == split_.end() ? SplitUnit{} : found->second;
}

Read<std::shared_ptr<const dwarf::AbbrevTable>> DwarfOpener::abbrevs(const dwarf::Sections& sections,
                                                                     const dwarf::UnitHeader& header) {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(sections.abbrev.data()) + header.abbrevs;
  const auto known = tables_.find(key);
  if (known != tables_.end() && known->second.encoding == header.encoding) return known->second.table;
  auto table = dwarf::AbbrevTable::read(sections.abbrev, header.abbrevs, header.encoding);
  const std::uint64_t cost = table ? table->bytes() : sections.abbrev.size();
  if (!budget_.spend(cost)) return too_large("dwarf.abbrev", header.abbrevs, cost, 0);
  if (!table) return std::unexpected(table.error());
  if ((table_bytes_ += cost) > kTableBytesKept) {
    tables_.clear();
    units_.clear();
    table_bytes_ = cost;
  }
  auto shared = std::make_shared<const dwarf::AbbrevTable>(*std::move(table));
  tables_.insert_or_assign(key, Table{header.encoding, shared});
  return shared;
}

Read<dwarf::Unit> DwarfOpener::open(std::uint32_t file, std::size_t index, const dwarf::Unit* skeleton) {
  const DwarfFile& owner = files_.file(file);
  return open(*owner.sections, owner.units[index], skeleton);
}

Read<dwarf::Unit> DwarfOpener::open(const dwarf::Sections& sections, const dwarf::UnitHeader& header,
                                    const dwarf::Unit* skeleton) {
  dwarf::Unit unit;
  unit.sections = &sections;
  unit.header = header;
  const dwarf::Sections& code = *files_.main().sections;
  unit.addr = code.addr;
  unit.ranges = code.ranges;
  if (skeleton != nullptr) {
    unit.addr_base = skeleton->addr_base;
    unit.ranges_base = skeleton->root.number(dwarf::Slot::gnu_ranges_base);
    unit.low_pc = skeleton->low_pc;
  }
  SC_TRY(unit.abbrevs, abbrevs(*unit.sections, unit.header));
  if (auto ok = unit.open(); !ok) return std::unexpected(ok.error());
  return unit;
}

const dwarf::Unit* DwarfOpener::holding(std::uint32_t file, std::uint64_t offset) {
  if (file == kNoFileIndex) return nullptr;
  const std::ptrdiff_t index = files_.file(file).unit_at(offset);
  if (index < 0) return nullptr;
  const std::uint64_t key = key_of(file, static_cast<std::uint64_t>(index));
  if (const auto known = units_.find(key); known != units_.end()) return known->second.get();
  if (units_.size() >= kUnitsKept) units_.clear();
  auto unit = open(file, static_cast<std::size_t>(index));
  return units_.emplace(key, unit ? std::make_unique<dwarf::Unit>(*std::move(unit)) : nullptr).first->second.get();
}

}  // namespace symcached::object
