#include "object/pe/translate.hpp"

#include <optional>

#include "base/crc32.hpp"
#include "formats/pe/debug_link.hpp"
#include "formats/pe/exports.hpp"
#include "formats/pe/runtime_functions.hpp"
#include "object/dwarf/in_pe.hpp"
#include "object/dwarf/split.hpp"
#include "object/dwarf/split_file.hpp"
#include "object/dwarf/translate.hpp"
#include "object/go/in_pe.hpp"
#include "object/go/translate.hpp"
#include "object/pe/describe.hpp"
#include "object/pe/symbols.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kMostImageBase = ~std::uint64_t{0} - (std::uint64_t{1} << 33);  ///< no address wraps around

/// The file beside the image that holds its debug sections.
std::optional<pe::Image> debug_companion(const pe::Image& image, std::span<const Companion> companions) {
  for (const Companion& companion : companions) {
    if (companion.need.kind != NeedFile::Kind::debug_link) continue;
    const auto other = pe::Image::open(companion.file);
    if (other && other->machine() == image.machine() && other->header().image_base == image.header().image_base &&
        crc32(companion.file) == companion.need.crc32)
      return *other;
  }
  return std::nullopt;
}

std::vector<PlacedSection> place(const pe::Image& image) {
  std::vector<PlacedSection> placed;
  for (const pe::SectionHeader& section : image.sections()) {
    const std::uint32_t size = section.virtual_size == 0 ? section.raw_size : section.virtual_size;
    placed.push_back({image.header().image_base + section.rva, size, is_code(section)});
  }
  return placed;
}

/// The symbol table of the image or else of its companion; what the image exports if nothing else names code.
Read<void> collect(PeSymbols& symbols, const pe::Image& image, const pe::Image* companion, bool has_dwarf) {
  SC_TRY(const auto own, symbols_of(image));
  if (const auto added = symbols.add_table(own); !added) return added;
  if (symbols.empty() && companion != nullptr) {
    SC_TRY(const auto other, symbols_of(*companion));
    if (const auto added = symbols.add_table(other); !added) return added;
  }
  if (symbols.empty() && !has_dwarf) {
    SC_TRY(const auto exports, pe::read_exports(image));
    symbols.add_exports(exports, image.header().image_base);
  }
  if (symbols.empty()) {
    symbols.finish({}, image.header().image_base);
    return {};
  }
  SC_TRY(const auto extents, pe::read_code_extents(image));
  symbols.finish(extents, image.header().image_base);
  return {};
}

}  // namespace

std::vector<NeedFile> needed_files_pe(Bytes file, std::span<const Companion> companions) {
  const auto image = pe::Image::open(file);
  if (!image) return {};
  std::vector<NeedFile> needed;
  const bool own = image->find_section(".debug_info") != nullptr || image->find_section(".zdebug_info") != nullptr;
  const auto companion = own ? std::nullopt : debug_companion(*image, companions);
  if (!own && !companion) {
    if (const auto link = pe::debug_link(*image); link && *link)
      needed.push_back({.kind = NeedFile::Kind::debug_link,
                        .path = std::string((*link)->file),
                        .directory = {},
                        .build_id = {},
                        .crc32 = (*link)->crc32});
    return needed;
  }
  if (const auto dwarf = PeDwarf::of_image(own ? *image : *companion))
    add_split_needs(dwarf->sections(), companions, needed);
  return needed;
}

Read<void> translate_pe(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto image, pe::Image::open(original.file));
  const std::uint64_t image_base = image.header().image_base;
  if (image_base > kMostImageBase) return too_large("pe.image_base", 0, image_base, kMostImageBase);
  SC_TRY(auto dwarf, PeDwarf::of_image(image, original.inflate));
  const auto companion = dwarf.empty() ? debug_companion(image, original.companions) : std::nullopt;
  if (companion) {
    SC_TRY(dwarf, PeDwarf::of_image(*companion, original.inflate));
  }
  const std::vector<PlacedSection> placed = place(image);
  PeSymbols symbols(image.machine(), placed);
  if (const auto done = collect(symbols, image, companion ? &*companion : nullptr, !dwarf.empty()); !done) return done;
  const auto go_program = dwarf.empty() ? go_program_of(image) : std::nullopt;
  if (dwarf.empty() && !go_program && symbols.symbols().all().empty())
    return unsupported("no DWARF, COFF symbols or exports name any code (pe.symbols); give the PDB instead", 0);

  FileInfo info;
  describe_pe(info, original.file);
  sink.module({.arch = info.arch,
               .debug_id = info.debug_id.value_or(DebugId{}),
               .debug_file = info.debug_file,
               .producer_kind = "pe"});
  if (dwarf.empty()) {
    std::vector<CodeRange> covered;
    if (go_program) {
      SC_TRY(covered, translate_go(*go_program, image_base, sink));
    }
    symbols.symbols().emit(sink, image_base, covered);
    return {};
  }
  SC_TRY(const auto split, SplitFiles::open(original));
  const auto code = code_ranges(placed);
  return translate_dwarf({.sections = dwarf.sections(),
                          .split = split.sections(),
                          .image_base = image_base,
                          .code = code,
                          .symbols = &symbols.symbols(),
                          .threads = original.threads},
                         sink);
}

std::optional<std::uint64_t> image_base_pe(Bytes file) {
  const auto image = pe::Image::open(file);
  return image ? std::optional(image->header().image_base) : std::nullopt;
}

}  // namespace symcached::object
