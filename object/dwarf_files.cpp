#include "object/dwarf_files.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

constexpr std::size_t kTablesKept = 256;
constexpr std::size_t kUnitsKept = 1024;

std::uint64_t key_of(std::uint32_t file, std::uint64_t offset) { return std::uint64_t{file} << 44 ^ offset; }

bool is_split(dwarf::UnitType type) { return type == dwarf::UnitType::split_compile; }

}  // namespace

std::ptrdiff_t DwarfFile::unit_at(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(units, offset, {}, &dwarf::UnitHeader::offset);
  if (after == units.begin() || offset >= std::prev(after)->end || offset < std::prev(after)->entries) return -1;
  return std::prev(after) - units.begin();
}

Read<DwarfFiles> DwarfFiles::open(const DwarfInput& input) {
  DwarfFiles files;
  if (auto ok = files.add(input.sections); !ok) return std::unexpected(ok.error());
  if (input.supplementary != nullptr) {
    files.supplementary_ = static_cast<std::uint32_t>(files.files_.size());
    if (auto ok = files.add(*input.supplementary); !ok) return std::unexpected(ok.error());
  }
  for (const dwarf::Sections& sections : input.split)
    if (auto ok = files.add_split(sections); !ok) return std::unexpected(ok.error());
  return files;
}

Read<void> DwarfFiles::add(const dwarf::Sections& sections) {
  SC_TRY(auto units, dwarf::read_unit_headers(sections.info, sections.big_endian));
  files_.push_back({&sections, std::move(units)});
  for (const Bytes section : {sections.info, sections.abbrev, sections.line, sections.str, sections.line_str,
                              sections.ranges, sections.rnglists, sections.addr, sections.str_offsets})
    bytes_ += section.size();
  return {};
}

Read<void> DwarfFiles::add_split(const dwarf::Sections& sections) {
  const auto index = static_cast<std::uint32_t>(files_.size());
  if (auto ok = add(sections); !ok) return ok;
  const std::vector<dwarf::UnitHeader>& units = files_.back().units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (is_split(units[i].type)) split_.try_emplace(units[i].id, SplitUnit{index, i});
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
  if (tables_.size() >= kTablesKept) tables_.clear();
  auto shared = std::make_shared<const dwarf::AbbrevTable>(*std::move(table));
  tables_.insert_or_assign(key, Table{header.encoding, shared});
  return shared;
}

Read<dwarf::Unit> DwarfOpener::open(std::uint32_t file, std::size_t index, const dwarf::Unit* skeleton) {
  const DwarfFile& owner = files_.file(file);
  dwarf::Unit unit;
  unit.sections = owner.sections;
  unit.header = owner.units[index];
  const dwarf::Sections& code = *files_.main().sections;
  unit.addr = code.addr;
  unit.ranges = code.ranges;
  if (skeleton != nullptr) {
    unit.addr_base = skeleton->addr_base;
    unit.ranges_base = skeleton->ranges_base;
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
