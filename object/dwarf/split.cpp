#include "object/dwarf/split.hpp"

#include <algorithm>
#include <unordered_set>

#include "formats/dwarf/package.hpp"
#include "object/dwarf/files.hpp"
#include "object/dwarf/split_file.hpp"

namespace symcached::object {
namespace {

using dwarf::Slot;

constexpr std::size_t kMaxPath = 4096;
constexpr std::uint64_t kPathsPerByte = 8;  ///< all paths together, of the sections' size
constexpr std::uint64_t kPathsFloor = 1u << 20;

constexpr Bytes dwarf::Sections::* kIndex[] = {&dwarf::Sections::cu_index};

bool may_be_skeleton(const dwarf::UnitHeader& header) {
  if (header.encoding.version >= 5) return header.type == dwarf::UnitType::skeleton;
  return header.type == dwarf::UnitType::compile;
}

/// Empty if there is none, or one that is no path.
std::string path_of(const dwarf::Unit& unit, Slot slot) {
  const dwarf::Value* value = unit.root.find(slot);
  const auto text = value != nullptr ? unit.text(*value) : std::nullopt;
  return text && text->size() <= kMaxPath ? std::string(*text) : std::string();
}

std::unordered_set<std::uint64_t> ids_of(std::span<const Companion> companions) {
  std::unordered_set<std::uint64_t> ids;
  for (const Companion& one : companions) {
    if (one.need.kind == NeedFile::Kind::split_unit) ids.insert(one.need.dwo_id);
    if (one.need.kind != NeedFile::Kind::split_package) continue;
    const auto package = SplitFile::open(one.file, {.split = true, .only = kIndex});
    if (!package) continue;
    const auto index = dwarf::UnitIndex::open(package->sections().cu_index, package->sections().big_endian);
    if (!index) continue;
    for (const dwarf::PackedUnit& unit : index->units()) ids.insert(unit.id);
  }
  return ids;
}

}  // namespace

bool may_have_split_units(const dwarf::Sections& sections) {
  if (sections.addr.empty()) return false;
  const auto units = dwarf::read_unit_headers(sections.info, sections.big_endian);
  return units && std::ranges::any_of(*units, may_be_skeleton);
}

std::vector<NeedFile> split_units(const dwarf::Sections& sections) {
  std::vector<NeedFile> needed;
  const DwarfInput input{.sections = sections, .split = {}, .code = {}};
  const auto files = DwarfFiles::open(input);
  if (!files) return needed;
  WorkBudget budget(files->roots_budget());
  WorkBudget paths(files->bytes() * kPathsPerByte + kPathsFloor);
  DwarfOpener opener(*files, budget);
  std::unordered_set<std::uint64_t> seen;
  const std::vector<dwarf::UnitHeader>& units = files->main().units;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!may_be_skeleton(units[i])) continue;
    const auto unit = opener.open(kMainFile, i);
    if (!unit) break;
    const std::uint64_t id = dwo_id_of(*unit);
    if (id == 0 || !unit->root.has(Slot::dwo_name) || !seen.insert(id).second) continue;
    NeedFile need{.kind = NeedFile::Kind::split_unit,
                  .path = path_of(*unit, Slot::dwo_name),
                  .directory = path_of(*unit, Slot::comp_dir),
                  .build_id = {},
                  .dwo_id = id};
    if (!paths.spend(need.path.size() + need.directory.size())) break;
    if (!need.path.empty()) needed.push_back(std::move(need));
  }
  return needed;
}

void add_split_needs(const dwarf::Sections& sections, std::span<const Companion> companions,
                     std::vector<NeedFile>& needed) {
  if (!may_have_split_units(sections)) return;
  auto units = split_units(sections);
  const auto known = ids_of(companions);
  std::erase_if(units, [&](const NeedFile& need) { return known.contains(need.dwo_id); });
  if (units.empty()) return;
  const auto is_package = [](const Companion& one) { return one.need.kind == NeedFile::Kind::split_package; };
  if (std::ranges::none_of(companions, is_package))
    needed.push_back({.kind = NeedFile::Kind::split_package, .path = {}, .directory = {}, .build_id = {}});
  std::ranges::move(units, std::back_inserter(needed));
}

}  // namespace symcached::object
