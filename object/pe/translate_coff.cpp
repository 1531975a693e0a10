#include "object/pe/translate_coff.hpp"

#include "object/common/machine_arch.hpp"
#include "object/dwarf/in_pe.hpp"
#include "object/dwarf/split.hpp"
#include "object/dwarf/split_file.hpp"
#include "object/dwarf/translate.hpp"
#include "object/pe/symbols.hpp"

namespace symcached::object {
namespace {

/// Stated address of the first section, so that addresses of code never look like those of code that is nowhere.
constexpr std::uint64_t kObjectBase = 0x10000;
constexpr std::uint64_t kDefaultAlignment = 16;

std::uint64_t alignment_of(const pe::SectionHeader& section) {
  const std::uint32_t power = section.characteristics >> 20 & 0xF;  // 1 = 1 byte … 14 = 8192 bytes
  return power == 0 || power == 15 ? kDefaultAlignment : std::uint64_t{1} << (power - 1);
}

Read<std::vector<PlacedSection>> place(const pe::CoffObject& object) {
  std::vector<PlacedSection> placed(object.sections().size());
  std::uint64_t next = kObjectBase;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const pe::SectionHeader& section = object.sections()[i];
    if (!is_code(section)) continue;
    SC_TRY(const Bytes code, object.section_data(section, "coff.code"));
    const std::uint64_t alignment = alignment_of(section);
    next = (next + alignment - 1) & ~(alignment - 1);
    placed[i] = {next, code.size(), true};
    next += code.size();
  }
  return placed;
}

std::vector<model::CodeSection> named(const pe::CoffObject& object, std::span<const PlacedSection> placed) {
  std::vector<model::CodeSection> sections;
  for (std::size_t i = 0; i < placed.size(); ++i)
    if (placed[i].is_code && placed[i].size != 0)
      sections.push_back({.name = std::string(object.section_name(object.sections()[i])),
                          .start = {placed[i].address - kObjectBase},
                          .size = placed[i].size});
  return sections;
}

}  // namespace

std::vector<model::CodeSection> code_sections_of(const pe::CoffObject& object) {
  const auto placed = place(object);
  return placed ? named(object, *placed) : std::vector<model::CodeSection>();
}

Read<void> translate_coff(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto object, pe::CoffObject::open(original.file));
  SC_TRY(const auto placed, place(object));
  std::vector<pe::SectionPlace> places(placed.size());
  for (std::size_t i = 0; i < placed.size(); ++i) places[i].address = placed[i].address;
  SC_TRY(const auto dwarf, PeDwarf::of_object(object, places, kObjectBase, false, original.inflate));
  PeSymbols symbols(object.machine(), placed);
  if (const auto added = symbols.add_table(object.symbols()); !added) return added;
  if (dwarf.empty() && symbols.empty())
    return unsupported("no DWARF, and no function in the symbol table (coff.symbols); compile with -g", 0);
  symbols.finish({}, kObjectBase);

  sink.module({.arch = arch_of_machine(static_cast<std::uint16_t>(object.machine())),
               .debug_id = {},
               .debug_file = {},
               .producer_kind = "coff",
               .sections = named(object, placed)});
  const auto code = code_ranges(placed);
  if (dwarf.empty()) {
    symbols.symbols().emit(sink, kObjectBase, {});
    return {};
  }
  SC_TRY(auto split, SplitFiles::open(original));
  SC_TRY(auto own_split,
         PeDwarf::of_object(object, places, kObjectBase, true, original.inflate));  // -gsplit-dwarf=single
  if (!own_split.empty()) split.add(own_split.sections());
  return translate_dwarf({.sections = dwarf.sections(),
                          .split = split.sections(),
                          .image_base = kObjectBase,
                          .code = code,
                          .symbols = &symbols.symbols(),
                          .threads = original.threads},
                         sink);
}

std::vector<NeedFile> needed_files_coff(Bytes file, std::span<const Companion> companions) {
  std::vector<NeedFile> needed;
  const auto object = pe::CoffObject::open(file);
  if (!object) return needed;
  const std::vector<pe::SectionPlace> nowhere(object->sections().size());
  const auto own_split = PeDwarf::of_object(*object, nowhere, kObjectBase, true);
  if (own_split && !own_split->empty()) return needed;
  if (const auto dwarf = PeDwarf::of_object(*object, nowhere, kObjectBase))
    add_split_needs(dwarf->sections(), companions, needed);
  return needed;
}

}  // namespace symcached::object
