#include "object/dwarf/relocate_elf.hpp"

#include <algorithm>
#include <iterator>

#include "formats/elf/symbols.hpp"

namespace symcached::object {
namespace {

using elf::Machine;

enum class Does : std::uint8_t { set, add, subtract };

/// Relocations that store symbol + addend, or add it to what is there, or take it off.
struct Row {
  Machine machine;
  std::uint32_t type;
  unsigned width;  ///< bytes
  Does does = Does::set;
};
constexpr Row kRows[] = {
    {Machine::x86_64, 1, 8},     // R_X86_64_64
    {Machine::x86_64, 10, 4},    // R_X86_64_32
    {Machine::x86_64, 11, 4},    // R_X86_64_32S
    {Machine::aarch64, 257, 8},  // R_AARCH64_ABS64
    {Machine::aarch64, 258, 4},  // R_AARCH64_ABS32
    {Machine::i386, 1, 4},       // R_386_32
    {Machine::arm, 2, 4},        // R_ARM_ABS32
    {Machine::s390, 4, 4},       // R_390_32
    {Machine::s390, 22, 8},      // R_390_64
    {Machine::ppc64, 1, 4},      // R_PPC64_ADDR32
    {Machine::ppc64, 38, 8},     // R_PPC64_ADDR64
    {Machine::mips, 2, 4},       // R_MIPS_32
    {Machine::mips, 18, 8},      // R_MIPS_64
    {Machine::riscv, 1, 4},      // R_RISCV_32
    {Machine::riscv, 2, 8},      // R_RISCV_64
    // RISC-V's linkers shorten code, so that its distances are two relocations at one place.
    {Machine::riscv, 33, 1, Does::add},       // R_RISCV_ADD8
    {Machine::riscv, 34, 2, Does::add},       // R_RISCV_ADD16
    {Machine::riscv, 35, 4, Does::add},       // R_RISCV_ADD32
    {Machine::riscv, 36, 8, Does::add},       // R_RISCV_ADD64
    {Machine::riscv, 37, 1, Does::subtract},  // R_RISCV_SUB8
    {Machine::riscv, 38, 2, Does::subtract},  // R_RISCV_SUB16
    {Machine::riscv, 39, 4, Does::subtract},  // R_RISCV_SUB32
    {Machine::riscv, 40, 8, Does::subtract},  // R_RISCV_SUB64
};

const Row* row_of(Machine machine, std::uint32_t type) {
  for (const Row& row : kRows)
    if (row.machine == machine && row.type == type) return &row;
  return nullptr;
}

template <class T>
void relocate(elf::Layout layout, std::byte* at, Does does, std::uint64_t value) {
  const std::uint64_t old = layout.load<T>(at);
  switch (does) {
    case Does::set: return layout.store<T>(at, static_cast<T>(value));
    case Does::add: return layout.store<T>(at, static_cast<T>(old + value));
    case Does::subtract: return layout.store<T>(at, static_cast<T>(old - value));
  }
}

void relocate(elf::Layout layout, std::byte* at, const Row& row, std::uint64_t value) {
  switch (row.width) {
    case 1: return relocate<std::uint8_t>(layout, at, row.does, value);
    case 2: return relocate<std::uint16_t>(layout, at, row.does, value);
    case 4: return relocate<std::uint32_t>(layout, at, row.does, value);
    default: return relocate<std::uint64_t>(layout, at, row.does, value);
  }
}

}  // namespace

ElfRelocator::ElfRelocator(const elf::File& file) : file_(file), targets_(file.sections().size()) {
  starts_.reserve(file.sections().size());
  for (const elf::Section& section : file.sections()) starts_.push_back(section.address);
}

/// Without its relocations an object file says wrong things, so a machine whose relocations are not known is refused.
Read<void> ElfRelocator::apply() {
  std::uint64_t left = file_.bytes().size();
  for (const elf::Section& section : file_.sections()) {
    if (section.type != elf::SectionType::rela && section.type != elf::SectionType::rel) continue;
    if (section.info >= targets_.size() || targets_[section.info].empty()) continue;
    if (section.size > left) return bad_value("elf.relocations.sh_size", section.index, section.size);
    left -= section.size;
    if (std::ranges::find(kRows, file_.machine(), &Row::machine) == std::end(kRows))
      return bad_value("elf.e_machine", 18, static_cast<std::uint64_t>(file_.machine()));
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
    const Row* row = row_of(file_.machine(), relocation.type);
    if (row == nullptr) continue;
    if (relocation.offset > bytes.size() || row->width > bytes.size() - relocation.offset)
      return truncated("elf.relocation.offset", relocation.offset, row->width, bytes.size());
    if (relocation.symbol >= symbols.size())
      return bad_value("elf.relocation.symbol", relocation.offset, relocation.symbol);
    const elf::Symbol symbol = symbols.nameless(relocation.symbol);
    const std::uint64_t start = symbol.section < starts_.size() ? starts_[symbol.section] : 0;
    const std::uint64_t target = start + symbol.value + static_cast<std::uint64_t>(relocation.addend);
    // Without a stated addend the bytes that are relocated hold it.
    Row how = *row;
    if (!records.has_addends() && how.does == Does::set) how.does = Does::add;
    relocate(file_.layout(), bytes.data() + relocation.offset, how, target);
  }
  return {};
}

}  // namespace symcached::object
