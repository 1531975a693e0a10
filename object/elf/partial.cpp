#include "object/elf/partial.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/decompress.hpp"
#include "object/dwarf/code_units.hpp"
#include "object/dwarf/in_elf.hpp"
#include "object/elf/companion_files.hpp"
#include "object/elf/function_bounds.hpp"
#include "object/elf/symbols.hpp"
#include "object/elf/translate.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kAround = 256 * 1024;  ///< bytes on either side of an address in which symbols are exact
constexpr int kMostRounds = 3;
constexpr std::size_t kMostStarts = 16;  ///< of functions that have one address

/// .debug_aranges, plain.
Read<Buffer> aranges_of(const elf::File& file, const InflateLimits& limits, Bytes& plain) {
  const elf::Section* const section = file.section(".debug_aranges");
  if (section == nullptr || section->type == elf::SectionType::nobits) return Buffer();
  SC_TRY(const auto packing, file.packing(*section));
  plain = packing.data;
  if (packing.method == elf::Compression::none) return Buffer();
  constexpr std::string_view kField = "elf.debug_aranges";
  InflateBudget budget(limits, file.bytes().size());
  if (auto ok = budget.take(packing.size, kField, section->offset); !ok) return std::unexpected(ok.error());
  const Codec codec = packing.method == elf::Compression::zlib ? Codec::zlib : Codec::zstd;
  SC_TRY(auto inflated, decompress(codec, packing.data, packing.size, kField));
  plain = inflated.bytes();
  return inflated;
}

bool has_split_companion(std::span<const Companion> all) {
  return std::ranges::any_of(all, [](const Companion& one) {
    return one.need.kind == NeedFile::Kind::split_unit || one.need.kind == NeedFile::Kind::split_package;
  });
}

bool has_compressed_info(const elf::File& file) {
  return std::ranges::any_of(file.sections(), [&](const elf::Section& section) {
    if (dwarf::section_named(section.name).member != &dwarf::Sections::info) return false;
    const auto packing = file.packing(section);
    return packing && packing->method != elf::Compression::none;
  });
}

class PartialElfFile final : public PartialElf {
 public:
  PartialElfFile(elf::File file, std::optional<elf::File> debug, const Original& original)
      : file_(std::move(file)), debug_(std::move(debug)), code_(merged(code_ranges_of(file_))), original_(original) {}

  Read<bool> prepare(bool may_be_costly);
  bool is_costly() const override { return input_.compressed_info.has_value(); }
  Read<bool> translate_at(model::Rva rva, const std::function<model::ModuleSink&()>& make_sink) override;

 private:
  const elf::File& with_dwarf() const { return debug_ ? *debug_ : file_; }
  Read<CodeSymbols> symbols_around(std::uint64_t address) const;

  const elf::File file_;
  const std::optional<elf::File> debug_;  ///< if the DWARF is there
  const std::vector<CodeRange> code_;
  const Original original_;
  std::optional<ElfDwarf> dwarf_, supplementary_;
  DwarfInput input_;
  std::optional<DwarfFiles> files_;
  std::optional<CodeUnits> units_;
};

/// @return false: such a file is translated whole
Read<bool> PartialElfFile::prepare(bool may_be_costly) {
  const elf::File& file = with_dwarf();
  const bool has_inner = file_.section(".gnu_debugdata") != nullptr;
  const bool has_descriptors = file_.machine() == elf::Machine::ppc64 && file_.section(".opd") != nullptr;
  if (!has_dwarf(file) || has_dwarf(file, true) || has_split_companion(original_.companions)) return false;
  if (has_inner || has_descriptors) return false;
  if (file_.type() == elf::FileType::relocatable || file.type() == elf::FileType::relocatable) return false;
  if (!may_be_costly && has_compressed_info(file)) return false;
  SC_TRY(dwarf_, ElfDwarf::open(file, {.threads = original_.threads,
                                       .release = original_.release,
                                       .inflate = original_.inflate,
                                       .may_leave_info = true}));
  if (const auto other = supplementary_companion(file, original_.companions)) {
    SC_TRY(supplementary_, ElfDwarf::open(*other, {.threads = original_.threads, .inflate = original_.inflate}));
  }
  input_ = {.sections = dwarf_->sections(),
            .compressed_info = dwarf_->compressed_info(),
            .supplementary = supplementary_ ? &supplementary_->sections() : nullptr,
            .split = {},
            .image_base = file_.image_base(),
            .code = code_};
  SC_TRY(files_, DwarfFiles::open(input_));
  Bytes aranges;
  SC_TRY(const Buffer inflated, aranges_of(file, original_.inflate, aranges));
  SC_TRY(units_, CodeUnits::open(input_, *files_, aranges));
  return !units_->empty();
}

/// Those within kAround are as they are among all symbols.
Read<CodeSymbols> PartialElfFile::symbols_around(std::uint64_t address) const {
  const CodeRange around{address - std::min(address, kAround), address + std::min(~address, kAround)};
  CodeSymbols symbols;
  for (const elf::File* file : {&file_, debug_ ? &*debug_ : nullptr})
    if (file != nullptr)
      if (auto ok = add_elf_symbols_around(*file, around, symbols); !ok) return std::unexpected(ok.error());
  symbols.finish(code_, symbols.any_without_size() ? functions_of(file_) : std::vector<CodeRange>());
  return symbols;
}

Read<bool> PartialElfFile::translate_at(model::Rva rva, const std::function<model::ModuleSink&()>& make_sink) {
  const std::uint64_t address = rva.value + input_.image_base;
  std::vector<std::uint64_t> units = units_->at(address);
  if (units.empty()) return false;
  SC_TRY(const CodeSymbols symbols, symbols_around(address));
  input_.symbols = &symbols;
  for (int round = 0; round < kMostRounds; ++round) {
    model::ModuleSink& sink = make_sink();
    sink.module({.arch = arch_of(file_.machine()),
                 .debug_id = file_.debug_id().value_or(DebugId()),
                 .debug_file = {},
                 .producer_kind = "elf"});
    SC_TRY(auto covered, translate_units(input_, *files_, units, sink));
    std::ranges::sort(covered, {}, [](const CodeRange& r) { return std::pair(r.start, r.end); });
    std::vector<std::uint64_t> starts, more = units;
    for (const CodeRange& range : covered)
      if (range.contains(address) && (starts.empty() || range.start != starts.back())) starts.push_back(range.start);
    if (starts.size() > kMostStarts) return false;
    // Another unit may have a function with the same start, and be the one to name it.
    for (const std::uint64_t start : starts) {
      if (address - start > kAround) return false;
      for (const std::uint64_t unit : units_->at(start)) more.push_back(unit);
    }
    if (starts.empty()) {
      const auto covers = [&](const CodeSymbol& s) { return address >= s.address && address - s.address < s.size; };
      return std::ranges::none_of(symbols.all(), covers);  // where such a symbol's part begins, others know
    }
    std::ranges::sort(more);
    const auto twice = std::ranges::unique(more);
    more.erase(twice.begin(), twice.end());
    if (more == units) {
      symbols.emit(sink, input_.image_base, covered);
      return true;
    }
    units = std::move(more);
  }
  return false;
}

}  // namespace

Read<std::unique_ptr<PartialElf>> PartialElf::open(const Original& original, bool may_be_costly) {
  SC_TRY(auto file, elf::File::open(original.file));
  std::optional<elf::File> debug;
  if (!has_dwarf(file)) debug = debug_companion(file, original.companions);
  auto partial = std::make_unique<PartialElfFile>(std::move(file), std::move(debug), original);
  SC_TRY(const bool can, partial->prepare(may_be_costly));
  if (!can) return nullptr;
  return partial;
}

}  // namespace symcached::object
