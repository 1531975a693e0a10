#include "object/dwarf/split_file.hpp"

#include "object/dwarf/files.hpp"
#include "object/dwarf/in_pe.hpp"
#include "object/dwarf/in_wasm.hpp"

namespace symcached::object {
namespace {

/// What says which units a file holds.
constexpr Bytes dwarf::Sections::* kForIds[] = {&dwarf::Sections::info, &dwarf::Sections::abbrev,
                                                &dwarf::Sections::cu_index};

}  // namespace

Read<SplitFile> SplitFile::open(Bytes bytes, const ElfDwarf::Options& options) {
  SplitFile split;
  if (as_text(bytes).starts_with(elf::kMagicText)) {
    SC_TRY(const auto file, elf::File::open(bytes));
    SC_TRY(auto dwarf, ElfDwarf::open(file, options));
    split.sections_ = dwarf.sections();
    split.owner_ = std::make_shared<const ElfDwarf>(std::move(dwarf));
  } else if (as_text(bytes).starts_with(wasm::kMagic)) {
    SC_TRY(const auto module, wasm::Module::open(bytes));
    split.sections_ = split_dwarf_of(module);
  } else if (pe::is_object(bytes)) {
    SC_TRY(const auto file, pe::CoffObject::open(bytes));
    const std::vector<pe::SectionPlace> nowhere(file.sections().size());
    SC_TRY(auto dwarf, PeDwarf::of_object(file, nowhere, 0, true, options.inflate));
    split.sections_ = dwarf.sections();
    split.owner_ = std::make_shared<const PeDwarf>(std::move(dwarf));
  }
  return split;
}

Read<SplitFiles> SplitFiles::open(const Original& original) {
  SplitFiles all;
  for (const Companion& one : original.companions) {
    if (one.need.kind != NeedFile::Kind::split_unit && one.need.kind != NeedFile::Kind::split_package) continue;
    SC_TRY(auto file,
           SplitFile::open(one.file,
                           {.split = true, .threads = original.threads, .only = {}, .inflate = original.inflate}));
    if (file.empty()) continue;
    all.sections_.push_back(file.sections());
    all.files_.push_back(std::move(file));
  }
  return all;
}

bool holds_split_unit(Bytes bytes, std::uint64_t dwo_id) {
  const auto file = SplitFile::open(bytes, {.split = true, .only = kForIds});
  if (!file || file->empty()) return false;
  const DwarfInput input{
      .sections = {.big_endian = file->sections().big_endian}, .split = std::span(&file->sections(), 1), .code = {}};
  const auto files = DwarfFiles::open(input);
  return files && files->split_unit(dwo_id).file != kNoFileIndex;
}

}  // namespace symcached::object
