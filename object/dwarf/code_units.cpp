#include "object/dwarf/code_units.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/inflate_stream.hpp"
#include "object/dwarf/functions.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kUnitField = "dwarf.unit";
constexpr std::size_t kPiece = 256 * 1024;  ///< bytes inflated at once where nobody wants them
constexpr std::size_t kLengthBytes = 12;    ///< the longest initial length

/// Moves forward through a compressed .debug_info, from one unit that is wanted to the next.
class UnitStream {
 public:
  static Read<UnitStream> open(const DwarfInput& input) {
    SC_TRY(auto stream, InflateStream::open(*input.compressed_info, "dwarf.debug_info"));
    return UnitStream(input, std::move(stream));
  }
  /// @return what the unit at `offset` is translated with; lives until the next call
  Read<dwarf::Sections> unit_at(std::uint64_t offset) {
    if (offset < stream_.position() || offset - stream_.position() >= stream_.left())
      return bad_value(kUnitField, offset, offset);
    if (auto ok = skip_to(offset); !ok) return std::unexpected(ok.error());
    std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(kLengthBytes, stream_.left()));
    Buffer start(size);
    if (auto ok = stream_.read({start.data(), size}); !ok) return std::unexpected(ok.error());
    const dwarf::UnitEnds ends = dwarf::find_unit_ends(start.bytes(), input_.sections.big_endian);
    if (ends.whole != 0 || ends.next <= size || ends.next - size > stream_.left())
      return bad_value(kUnitField, offset, ends.next);
    unit_ = Buffer(static_cast<std::size_t>(ends.next));
    std::ranges::copy(start.bytes(), unit_.data());
    if (auto ok = stream_.read({unit_.data() + size, unit_.size() - size}); !ok) return std::unexpected(ok.error());
    dwarf::Sections sections = input_.sections;
    sections.info = unit_.bytes();
    sections.info_start = offset;
    return sections;
  }

 private:
  UnitStream(const DwarfInput& input, InflateStream stream) : input_(input), stream_(std::move(stream)) {}
  Read<void> skip_to(std::uint64_t offset) {
    if (skipped_.size() == 0 && stream_.position() != offset) skipped_ = Buffer(kPiece);
    while (stream_.position() < offset) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, offset - stream_.position()));
      if (auto ok = stream_.read({skipped_.data(), size}); !ok) return ok;
    }
    return {};
  }

  const DwarfInput& input_;
  InflateStream stream_;
  Buffer skipped_, unit_;
};

Read<void> translate_compressed(const DwarfInput& input, std::span<const std::uint64_t> offsets,
                                DwarfFunctions& functions) {
  SC_TRY(auto stream, UnitStream::open(input));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    SC_TRY(const dwarf::Sections sections, stream.unit_at(offsets[i]));
    SC_TRY(const auto units, dwarf::read_unit_headers(sections.info, sections.big_endian));
    if (units.size() != 1) return bad_value(kUnitField, offsets[i], units.size(), 1);
    if (auto ok = functions.unit(sections, units.front(), i); !ok) return ok;
  }
  return {};
}

Read<void> translate_plain(const DwarfInput& input, const DwarfFiles& files, std::span<const std::uint64_t> offsets,
                           DwarfFunctions& functions) {
  const auto& units = files.main().units;
  for (const std::uint64_t offset : offsets) {
    const auto unit = std::ranges::lower_bound(units, offset, {}, &dwarf::UnitHeader::offset);
    if (unit == units.end() || unit->offset != offset) return bad_value(kUnitField, offset, offset);
    const auto rank = static_cast<std::size_t>(unit - units.begin());
    if (auto ok = functions.unit(input.sections, *unit, rank); !ok) return ok;
  }
  return {};
}

}  // namespace

Read<CodeUnits> CodeUnits::open(const DwarfInput& input, const DwarfFiles& files, Bytes aranges) {
  CodeUnits all;
  SC_TRY(auto stated, dwarf::read_aranges(aranges, input.sections.big_endian));
  all.ranges_ = std::move(stated.ranges);
  WorkBudget budget(files.roots_budget());
  DwarfOpener opener(files, budget);
  std::vector<dwarf::Range> found;
  const auto& units = files.main().units;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (std::ranges::binary_search(stated.units, units[i].offset)) continue;
    if (units[i].type != dwarf::UnitType::compile && units[i].type != dwarf::UnitType::skeleton) continue;
    SC_TRY(const dwarf::Unit unit, opener.open(kMainFile, i));
    found.clear();
    const dwarf::RangesRead read = dwarf::append_ranges(unit, unit.root, found);
    if (!budget.spend(read.bytes + found.size() * sizeof(dwarf::Range)))
      return budget.refusal("dwarf.ranges", units[i].offset);
    for (const dwarf::Range& range : found) all.ranges_.push_back({range.low, range.high, units[i].offset});
  }
  return all;
}

std::vector<std::uint64_t> CodeUnits::at(std::uint64_t address) const {
  std::vector<std::uint64_t> units;
  for (const dwarf::CodeOfUnit& range : ranges_)
    if (address >= range.low && address < range.high) units.push_back(range.unit);
  std::ranges::sort(units);
  const auto twice = std::ranges::unique(units);
  units.erase(twice.begin(), twice.end());
  return units;
}

Read<std::vector<CodeRange>> translate_units(const DwarfInput& input, const DwarfFiles& files,
                                             std::span<const std::uint64_t> offsets, model::ModuleSink& sink) {
  WorkBudget budget(translation_work(files));
  DwarfFunctions functions(input, files, budget, sink);
  const auto done = input.compressed_info ? translate_compressed(input, offsets, functions)
                                          : translate_plain(input, files, offsets, functions);
  if (!done) return std::unexpected(done.error());
  return std::move(functions.covered());
}

}  // namespace symcached::object
