#include "object/elf/plt.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "formats/elf/symbols.hpp"

namespace symcached::object {
namespace {

using elf::Machine;

/// A place that the loader fills with the address of a function.
struct Slot {
  std::uint64_t address;
  std::uint32_t symbol;
};

struct FillsSlot {
  Machine machine;
  std::uint32_t global_data, jump_slot;
};
constexpr FillsSlot kFillsSlot[] = {
    {Machine::x86_64, 6, 7},         // R_X86_64_GLOB_DAT, _JUMP_SLOT
    {Machine::i386, 6, 7},           // R_386_GLOB_DAT, _JMP_SLOT
    {Machine::aarch64, 1025, 1026},  // R_AARCH64_GLOB_DAT, _JUMP_SLOT
};

std::vector<Slot> slots_of(const elf::File& file, const elf::Section& dynamic_symbols, const FillsSlot& types) {
  std::vector<Slot> slots;
  std::uint64_t left = file.bytes().size();
  for (const elf::Section& section : file.sections()) {
    if (section.type != elf::SectionType::rela && section.type != elf::SectionType::rel) continue;
    if (section.link != dynamic_symbols.index || section.size > left) continue;
    left -= section.size;
    const auto records = elf::RelocationTable::open(file, section);
    if (!records) continue;
    for (std::size_t i = 0; i < records->size(); ++i) {
      const elf::Relocation r = (*records)[i];
      if (r.type == types.global_data || r.type == types.jump_slot) slots.push_back({r.offset, r.symbol});
    }
  }
  std::ranges::sort(slots, {}, &Slot::address);
  return slots;
}

/// One entry and the slot it jumps through.
struct Stub {
  std::uint64_t address, size;  ///< size 0: up to the next
  std::uint64_t slot;
};

std::uint8_t byte_at(Bytes code, std::size_t at) {
  return at < code.size() ? static_cast<std::uint8_t>(code[at]) : std::uint8_t{0};
}

/// `jmp *slot(%rip)`, `jmp *slot` or `jmp *slot(%ebx)`, maybe behind an `endbr` and with a `bnd`.
std::optional<std::uint64_t> x86_slot(Bytes entry, std::uint64_t address, bool is_64bit, std::uint64_t got) {
  std::size_t at = 0;
  if (byte_at(entry, 0) == 0xF3 && byte_at(entry, 1) == 0x0F && byte_at(entry, 2) == 0x1E) at = 4;
  if (byte_at(entry, at) == 0xF2) ++at;
  if (byte_at(entry, at) != 0xFF || entry.size() < at + 6) return std::nullopt;
  const auto operand = elf::Layout{}.load<std::int32_t>(entry.data() + at + 2);
  const auto offset = static_cast<std::uint64_t>(std::int64_t{operand});
  switch (byte_at(entry, at + 1)) {
    case 0x25: return is_64bit ? address + at + 6 + offset : offset & 0xFFFFFFFF;
    case 0xA3: return is_64bit ? std::nullopt : std::optional((got + offset) & 0xFFFFFFFF);
    default: return std::nullopt;
  }
}

std::vector<Stub> x86_stubs(const elf::File& file, const elf::Section& section, Bytes code) {
  const bool is_64bit = file.machine() == Machine::x86_64;
  const elf::Section* got = file.section(".got.plt");
  if (got == nullptr) got = file.section(".got");
  const std::size_t size = section.entry_size == 8 || section.name == ".plt.got" ? 8 : 16;
  std::vector<Stub> stubs;
  for (std::size_t at = 0; at < code.size(); at += size) {
    const Bytes entry = code.subspan(at, std::min<std::size_t>(16, code.size() - at));
    const std::uint64_t address = section.address + at;
    if (const auto slot = x86_slot(entry, address, is_64bit, got == nullptr ? 0 : got->address))
      stubs.push_back({address, std::min(size, code.size() - at), *slot});
  }
  return stubs;
}

/// `adrp x16, page; ldr x17, [x16, #offset]`, maybe behind a `bti c`.
std::vector<Stub> aarch64_stubs(const elf::Section& section, Bytes code) {
  constexpr std::uint32_t kBti = 0xD503245F;
  std::vector<Stub> stubs;
  const auto word = [&](std::size_t at) { return elf::Layout{}.load<std::uint32_t>(code.data() + at); };
  for (std::size_t at = 0; at + 8 <= code.size(); at += 4) {
    const std::uint32_t page = word(at), load = word(at + 4);
    if ((page & 0x9F00001F) != 0x90000010 || (load & 0xFFC003FF) != 0xF9400211) continue;
    const std::uint64_t pages = (page >> 5 & 0x7FFFF) << 2 | (page >> 29 & 3);
    const std::uint64_t distance = (pages ^ 0x100000) - 0x100000;  // 21 bits, signed
    const std::uint64_t address = section.address + at;
    const std::uint64_t slot = (address & ~std::uint64_t{0xFFF}) + (distance << 12) + (load >> 10 & 0xFFF) * 8;
    const bool marked = at >= 4 && word(at - 4) == kBti;
    stubs.push_back({marked ? address - 4 : address, 0, slot});
  }
  return stubs;
}

}  // namespace

void add_plt_names(const elf::File& file, CodeSymbols& symbols, std::deque<std::string>& names) {
  const auto* types = std::ranges::find(kFillsSlot, file.machine(), &FillsSlot::machine);
  const elf::Section* dynamic = file.section(elf::SectionType::dynsym);
  if (types == std::end(kFillsSlot) || dynamic == nullptr) return;
  const auto table = elf::SymbolTable::open(file, *dynamic);
  if (!table) return;
  const std::vector<Slot> slots = slots_of(file, *dynamic, *types);
  std::uint64_t left = file.bytes().size();  // of text: names may share their bytes
  for (const std::string_view name : {".plt", ".plt.sec", ".plt.got"}) {
    const elf::Section* section = file.section(name);
    if (section == nullptr || !section->is_code()) continue;
    const auto code = file.contents(*section);
    if (!code) continue;
    for (const Stub& stub :
         file.machine() == Machine::aarch64 ? aarch64_stubs(*section, *code) : x86_stubs(file, *section, *code)) {
      const auto slot = std::ranges::lower_bound(slots, stub.slot, {}, &Slot::address);
      if (slot == slots.end() || slot->address != stub.slot || slot->symbol >= table->size()) continue;
      const std::string_view target = elf::without_version((*table)[slot->symbol].name);
      if (target.size() > left) return;  // no honest file
      if (target.empty()) continue;
      left -= target.size();
      symbols.add({.address = stub.address,
                   .size = stub.size,
                   .name = names.emplace_back(std::string(target) + "@plt"),
                   .binding = CodeSymbol::Binding::local,
                   .is_stub = true});
    }
  }
}

}  // namespace symcached::object
