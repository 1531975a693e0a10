#include "object/go/in_elf.hpp"

#include <algorithm>
#include <utility>

#include "formats/elf/notes.hpp"
#include "formats/elf/symbols.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kFlagWrite = 0x1;
constexpr std::uint32_t kSegmentWritable = 2;
constexpr unsigned kMostNotes = 1024;
constexpr std::uint64_t kMostCopied = 2;  ///< times the size of the file: sections may lie on top of each other

/// Relocations that the loader does to pointers: base plus addend, symbol plus addend.
struct PointerTypes {
  elf::Machine machine;
  std::uint32_t relative, absolute;
};
constexpr PointerTypes kPointerTypes[] = {
    {elf::Machine::i386, 8, 1},         {elf::Machine::x86_64, 8, 1},  {elf::Machine::arm, 23, 2},
    {elf::Machine::aarch64, 1027, 257}, {elf::Machine::ppc64, 22, 38}, {elf::Machine::s390, 12, 22},
    {elf::Machine::riscv, 3, 2},
};

bool is_loaded(const elf::Section& section) {
  return (section.flags & elf::kFlagAlloc) != 0 && section.type != elf::SectionType::nobits && section.address != 0;
}

GoImage image_of(const elf::File& file) {
  GoImage image;
  image.container = {.pointer_size = static_cast<std::uint8_t>(file.layout().word_size()),
                     .big_endian = file.layout().big_endian};
  image.base = file.image_base();
  image.entry_point = file.header().entry;
  for (const elf::Section& section : file.sections())
    if (const auto bytes = file.contents(section); bytes && is_loaded(section))
      image.add({section.address, *bytes, section.is_code(), (section.flags & kFlagWrite) != 0});
  if (image.regions().empty())
    for (const elf::Segment& segment : file.segments())
      if (const auto bytes = slice(file.bytes(), segment.offset, segment.file_size, "elf.segment");
          bytes && segment.type == elf::kSegmentLoad)
        image.add({segment.address, *bytes, (segment.flags & elf::kSegmentExecutable) != 0,
                   (segment.flags & kSegmentWritable) != 0});
  image.finish();
  return image;
}

/// Does to the image what the loader does to pointers, where the file does not hold their values already.
class ElfPointers {
 public:
  ElfPointers(const elf::File& file, GoImage& image)
      : file_(file), image_(image), left_(file.bytes().size() * kMostCopied), own_(image.regions().size()) {}

  void apply() {
    const auto types = std::ranges::find(kPointerTypes, file_.machine(), &PointerTypes::machine);
    if (types == std::end(kPointerTypes)) return;
    types_ = *types;
    if (const elf::Section* dynsym = file_.section(elf::SectionType::dynsym))
      if (const auto symbols = elf::SymbolTable::open(file_, *dynsym)) symbols_ = *symbols;
    for (const elf::Section& section : file_.sections())
      if (is_loaded(section) && (section.type == elf::SectionType::rela || section.type == elf::SectionType::rel))
        if (const auto table = elf::RelocationTable::open(file_, section)) apply(*table);
  }

 private:
  void apply(const elf::RelocationTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const elf::Relocation relocation = table[i];
      const bool relative = relocation.type == types_.relative;
      if (!relative && (relocation.type != types_.absolute || relocation.symbol >= symbols_.size())) continue;
      if (relative && !table.has_addends()) continue;  // the bytes are the value
      std::byte* const at = place_of(relocation.offset);
      if (at == nullptr) continue;
      std::uint64_t value =
          table.has_addends() ? static_cast<std::uint64_t>(relocation.addend) : image_.container.load_word(at);
      if (!relative) value += symbols_.nameless(relocation.symbol).value;
      if (image_.container.pointer_size == 8) file_.layout().store(at, value);
      else file_.layout().store(at, static_cast<std::uint32_t>(value));
    }
  }

  std::byte* place_of(std::uint64_t address) {
    auto& regions = image_.regions();
    const GoRegion* const found = image_.region_of(address);
    if (found == nullptr || found->is_code) return nullptr;
    const auto index = static_cast<std::size_t>(found - regions.data());
    const std::uint64_t offset = address - found->address;
    if (found->bytes.size() - offset < image_.container.pointer_size) return nullptr;
    if (own_[index] == nullptr) {
      if (found->bytes.size() > left_) return nullptr;
      left_ -= found->bytes.size();
      own_[index] = image_.make_own(regions[index]);
    }
    return own_[index] + offset;
  }

  const elf::File& file_;
  GoImage& image_;
  std::uint64_t left_;           // bytes that may be copied
  std::vector<std::byte*> own_;  // by region; nullptr = still the file's
  PointerTypes types_{};
  elf::SymbolTable symbols_;
};

const elf::Section* named_table(const elf::File& file) {
  for (const std::string_view name : {".gopclntab", ".data.rel.ro.gopclntab"})
    if (const elf::Section* section = file.section(name); section != nullptr && is_loaded(*section)) return section;
  return nullptr;
}

/// Go's linker leaves a note with the build ID.
bool has_go_note(const elf::File& file) {
  for (const elf::Segment& segment : file.segments()) {
    if (segment.type != elf::kSegmentNote) continue;
    const auto bytes = slice(file.bytes(), segment.offset, segment.file_size, "elf.segment");
    if (!bytes) continue;
    elf::NoteReader notes(*bytes, file.layout(), segment.alignment);
    elf::Note note;
    for (unsigned i = 0; i < kMostNotes && notes.next(note); ++i)
      if (note.owner.substr(0, note.owner.find('\0')) == "Go") return true;  // padded with NULs
  }
  return false;
}

/// Whether a table without a section of its name is worth searching for: a C linker merges it into others, and some
/// versions of llvm-strip cut the names of all sections.
bool may_hide_table(const elf::File& file) {
  return file.sections().empty() || file.section(".go.buildinfo") != nullptr || has_go_note(file);
}

std::optional<GoTable> table_in(const elf::File& file, const GoImage& image) {
  if (const elf::Section* section = named_table(file)) {
    const Bytes bytes = image.at(section->address);
    const auto table =
        go::Table::open(bytes.first(std::min<std::uint64_t>(bytes.size(), section->size)), image.container, true);
    return table ? std::optional(GoTable{*table, section->address}) : std::nullopt;
  }
  for (const GoRegion& region : image.regions())
    if (!region.is_code)
      if (auto found = find_go_table(region, image.container, false)) return found;
  return std::nullopt;
}

}  // namespace

bool has_go_table(const elf::File& file) {
  if (named_table(file) == nullptr && !may_hide_table(file)) return false;
  GoImage image = image_of(file);
  if (named_table(file) == nullptr) ElfPointers(file, image).apply();
  return table_in(file, image).has_value();
}

std::optional<GoProgram> go_program_of(const elf::File& file) {
  if (named_table(file) == nullptr && !may_hide_table(file)) return std::nullopt;
  GoImage image = image_of(file);
  ElfPointers(file, image).apply();
  const auto table = table_in(file, image);
  return table ? GoProgram::open(std::move(image), *table) : std::nullopt;
}

}  // namespace symcached::object
