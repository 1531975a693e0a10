#include "object/elf_relocate.hpp"

#include "formats/elf/symbols.hpp"

namespace symcached::object {
namespace {

using elf::Machine;

/// Relocations that store symbol + addend.
struct Row {
  Machine machine;
  std::uint32_t type;
  unsigned width;  ///< bytes
};
constexpr Row kAbsolute[] = {
    {Machine::x86_64, 1, 8},     // R_X86_64_64
    {Machine::x86_64, 10, 4},    // R_X86_64_32
    {Machine::x86_64, 11, 4},    // R_X86_64_32S
    {Machine::aarch64, 257, 8},  // R_AARCH64_ABS64
    {Machine::aarch64, 258, 4},  // R_AARCH64_ABS32
    {Machine::i386, 1, 4},       // R_386_32
    {Machine::arm, 2, 4},        // R_ARM_ABS32
};

unsigned width_of(Machine machine, std::uint32_t type) {
  for (const Row& row : kAbsolute)
    if (row.machine == machine && row.type == type) return row.width;
  return 0;
}

/// Adds `value` to the number there, or to `addend` if the relocation states one.
template <class T>
void relocate(elf::Layout layout, std::byte* at, std::uint64_t value, bool has_addend, std::int64_t addend) {
  const std::uint64_t base = has_addend ? static_cast<std::uint64_t>(addend) : layout.load<T>(at);
  layout.store<T>(at, static_cast<T>(base + value));
}

}  // namespace

ElfRelocator::ElfRelocator(const elf::File& file) : file_(file), targets_(file.sections().size()) {
  starts_.reserve(file.sections().size());
  for (const elf::Section& section : file.sections()) starts_.push_back(section.address);
}

Read<void> ElfRelocator::apply() {
  std::uint64_t left = file_.bytes().size();
  for (const elf::Section& section : file_.sections()) {
    if (section.type != elf::SectionType::rela && section.type != elf::SectionType::rel) continue;
    if (section.info >= targets_.size() || targets_[section.info].empty()) continue;
    if (section.size > left) return bad_value("elf.relocations.sh_size", section.index, section.size);
    left -= section.size;
    if (auto ok = apply(section, targets_[section.info]); !ok) return ok;
  }
  return {};
}

Read<void> ElfRelocator::apply(const elf::Section& relocations, std::span<std::byte> bytes) {
  SC_TRY(const auto records, elf::RelocationTable::open(file_, relocations));
  if (relocations.link >= file_.sections().size())
    return bad_value("elf.relocations.sh_link", relocations.index, relocations.link);
  SC_TRY(const auto symbols, elf::SymbolTable::open(file_, file_.sections()[relocations.link]));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const elf::Relocation relocation = records[i];
    const unsigned width = width_of(file_.machine(), relocation.type);
    if (width == 0) continue;
    if (relocation.offset > bytes.size() || width > bytes.size() - relocation.offset)
      return truncated("elf.relocation.offset", relocation.offset, width, bytes.size());
    if (relocation.symbol >= symbols.size())
      return bad_value("elf.relocation.symbol", relocation.offset, relocation.symbol);
    const elf::Symbol symbol = symbols.nameless(relocation.symbol);
    const std::uint64_t start = symbol.section < starts_.size() ? starts_[symbol.section] : 0;
    std::byte* const at = bytes.data() + relocation.offset;
    const bool has_addend = records.has_addends();
    if (width == 8) relocate<std::uint64_t>(file_.layout(), at, start + symbol.value, has_addend, relocation.addend);
    else relocate<std::uint32_t>(file_.layout(), at, start + symbol.value, has_addend, relocation.addend);
  }
  return {};
}

}  // namespace symcached::object
