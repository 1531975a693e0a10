#include "object/elf/translate.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/decompress.hpp"
#include "base/hex.hpp"
#include "object/dwarf/in_elf.hpp"
#include "object/dwarf/split.hpp"
#include "object/dwarf/split_file.hpp"
#include "object/dwarf/translate.hpp"
#include "object/elf/companion_files.hpp"
#include "object/elf/function_bounds.hpp"
#include "object/elf/plt.hpp"
#include "object/elf/symbols.hpp"
#include "object/go/in_elf.hpp"
#include "object/go/translate.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kMaxInnerFile = std::uint64_t{256} << 20;  ///< .gnu_debugdata, unpacked

/// The small ELF file with further function symbols that some distributions put into stripped programs.
Read<Buffer> inner_file(const elf::File& file, const InflateLimits& limits) {
  const elf::Section* section = file.section(".gnu_debugdata");
  if (section == nullptr) return Buffer();
  SC_TRY(const auto packed, file.contents(*section));
  if (packed.empty()) return Buffer();
  constexpr std::string_view kField = "elf.gnu_debugdata";
  const std::uint64_t allowed = limits.allowed(file.bytes().size());
  const std::uint64_t limit = std::min(kMaxInnerFile, allowed);
  auto plain = decompress_whole(Codec::xz, packed, limit, kField);
  if (!plain && plain.error().kind == ReadError::Kind::too_large && plain.error().wanted == allowed)
    return unpacks_too_large(kField, section->offset, allowed + 1, allowed);
  return plain;
}

/// All that a translation reads, kept until it is done.
class ElfTranslator {
 public:
  ElfTranslator(elf::File file, const Original& original)
      : file_(std::move(file)), original_(original), code_(code_ranges_of(file_)) {}

  Read<void> run(model::ModuleSink& sink);

 private:
  Read<void> gather_symbols();
  Read<void> emit_dwarf(const elf::File& with_dwarf, model::ModuleSink& sink);
  ElfDwarf::Options options(bool split) const {
    return {.split = split, .threads = original_.threads, .release = original_.release, .inflate = original_.inflate};
  }

  elf::File file_;
  const Original& original_;
  std::vector<CodeRange> code_;
  std::optional<elf::File> debug_;
  Buffer inner_;
  std::deque<std::string> stub_names_;
  CodeSymbols symbols_;
};

Read<void> ElfTranslator::gather_symbols() {
  if (auto ok = add_elf_symbols(file_, symbols_); !ok) return ok;
  if (debug_)
    if (auto ok = add_elf_symbols(*debug_, symbols_, &file_); !ok) return ok;
  SC_TRY(inner_, inner_file(file_, original_.inflate));
  if (inner_.size() != 0) {
    SC_TRY(const auto inner, elf::File::open(inner_.bytes()));
    if (auto ok = add_elf_symbols(inner, symbols_); !ok) return ok;
  }
  add_plt_names(file_, symbols_, stub_names_);
  symbols_.finish(code_, symbols_.any_without_size() ? functions_of(file_) : std::vector<CodeRange>());
  return {};
}

Read<void> ElfTranslator::emit_dwarf(const elf::File& with_dwarf, model::ModuleSink& sink) {
  ElfDwarf::Options main = options(false);
  main.may_leave_info = true;
  SC_TRY(const auto dwarf, ElfDwarf::open(with_dwarf, main));
  std::optional<ElfDwarf> supplementary;
  if (const auto file = supplementary_companion(with_dwarf, original_.companions)) {
    SC_TRY(supplementary, ElfDwarf::open(*file, options(false)));
  }
  SC_TRY(auto split, SplitFiles::open(original_));
  std::optional<ElfDwarf> own_split;  // -gsplit-dwarf=single
  if (has_dwarf(with_dwarf, true)) {
    SC_TRY(own_split, ElfDwarf::open(with_dwarf, options(true)));
    split.add(own_split->sections());
  }
  return translate_dwarf({.sections = dwarf.sections(),
                          .compressed_info = dwarf.compressed_info(),
                          .supplementary = supplementary ? &supplementary->sections() : nullptr,
                          .split = split.sections(),
                          .image_base = file_.image_base(),
                          .code = code_,
                          .symbols = &symbols_,
                          .threads = original_.threads,
                          .release = original_.release},
                         sink);
}

Read<void> ElfTranslator::run(model::ModuleSink& sink) {
  sink.module({.arch = arch_of(file_.machine()),
               .debug_id = file_.debug_id().value_or(DebugId()),
               .debug_file = {},
               .producer_kind = "elf",
               .sections = code_sections_of(file_)});
  const bool own_dwarf = has_dwarf(file_);
  if (!own_dwarf) debug_ = debug_companion(file_, original_.companions);
  if (auto ok = gather_symbols(); !ok) return ok;
  if (own_dwarf) return emit_dwarf(file_, sink);
  if (debug_ && has_dwarf(*debug_)) return emit_dwarf(*debug_, sink);
  std::vector<CodeRange> covered;
  if (const auto program = go_program_of(file_)) {
    SC_TRY(covered, translate_go(*program, file_.image_base(), sink));
  }
  symbols_.emit(sink, file_.image_base(), covered);
  return {};
}

}  // namespace

Read<void> translate_elf(const Original& original, model::ModuleSink& sink) {
  SC_TRY(auto file, elf::File::open(original.file));
  return ElfTranslator(std::move(file), original).run(sink);
}

namespace {

/// An object file that holds its own split units needs no other.
void add_split_needs(const elf::File& file, std::span<const Companion> companions, std::vector<NeedFile>& needed) {
  if (!has_section(file, &dwarf::Sections::addr) || has_dwarf(file, true)) return;
  if (const auto units = ElfDwarf::open(file, {.only = kTellingSections});
      !units || !may_have_split_units(units->sections()))
    return;
  if (const auto dwarf = ElfDwarf::open(file, {.only = kNamingSections}))
    add_split_needs(dwarf->sections(), companions, needed);
}

}  // namespace

std::vector<NeedFile> needed_files_elf(Bytes bytes, std::span<const Companion> companions) {
  std::vector<NeedFile> needed;
  const auto file = elf::File::open(bytes);
  if (!file) return needed;
  std::optional<elf::File> debug;
  if (!has_dwarf(*file)) {
    debug = debug_companion(*file, companions);
    const auto link = file->debug_link();
    const std::string build_id = file->code_id();
    if (!debug && (link || !build_id.empty()))
      needed.push_back({.kind = NeedFile::Kind::debug_link,
                        .path = link ? std::string(link->file) : std::string(),
                        .directory = {},
                        .build_id = build_id,
                        .crc32 = link ? link->crc32 : 0});
  }
  const elf::File& with_dwarf = debug ? *debug : *file;
  if (const auto link = with_dwarf.alt_link(); link && !supplementary_companion(with_dwarf, companions))
    needed.push_back({.kind = NeedFile::Kind::supplementary,
                      .path = std::string(link->file),
                      .directory = {},
                      .build_id = to_hex(link->build_id)});
  add_split_needs(with_dwarf, companions, needed);
  return needed;
}

std::optional<std::uint64_t> image_base_elf(Bytes bytes) {
  const auto file = elf::File::open(bytes);
  return file ? std::optional(file->image_base()) : std::nullopt;
}

model::Arch arch_of(elf::Machine machine) {
  switch (machine) {
    case elf::Machine::i386: return model::Arch::x86;
    case elf::Machine::x86_64: return model::Arch::x86_64;
    case elf::Machine::arm: return model::Arch::arm;
    case elf::Machine::aarch64: return model::Arch::arm64;
    case elf::Machine::ppc64: return model::Arch::ppc64;
    case elf::Machine::riscv: return model::Arch::riscv64;
    case elf::Machine::s390: return model::Arch::s390x;
    case elf::Machine::mips:
    case elf::Machine::none: break;
  }
  return model::Arch::unknown;
}

}  // namespace symcached::object
