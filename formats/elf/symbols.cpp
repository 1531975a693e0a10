#include "formats/elf/symbols.hpp"

#include <algorithm>

namespace symcached::elf {

Read<SymbolTable> SymbolTable::open(const File& file, const Section& section) {
  SymbolTable table;
  table.layout_ = file.layout();
  table.stride_ = Symbol::record_size(file.layout());
  SC_TRY(table.records_, file.contents(section));
  table.count_ = table.records_.size() / table.stride_;
  if (table.count_ == 0) return table;
  if (section.link >= file.sections().size()) return bad_value("elf.symtab.sh_link", section.index, section.link);
  SC_TRY(table.strings_, file.contents(file.sections()[section.link]));
  for (const Section& other : file.sections())
    if (other.type == SectionType::symtab_shndx && other.link == section.index) {
      SC_TRY(table.extended_, file.contents(other));
      break;
    }
  return table;
}

Symbol SymbolTable::nameless(std::size_t index) const {
  Fields in(records_.data() + index * stride_, layout_);
  Symbol symbol;
  std::uint8_t info = 0;
  std::uint16_t section = 0;
  in.u32();  // name
  if (layout_.is_64bit) {
    info = in.u8();
    in.u8();  // visibility
    section = in.u16();
    symbol.value = in.word();
    symbol.size = in.word();
  } else {
    symbol.value = in.word();
    symbol.size = in.word();
    info = in.u8();
    in.u8();
    section = in.u16();
  }
  symbol.type = static_cast<SymbolType>(info & 15);
  symbol.binding = static_cast<SymbolBinding>(info >> 4);
  if (section == kIndexExtended && index < extended_.size() / 4)
    symbol.section = layout_.load<std::uint32_t>(extended_.data() + index * 4);
  else symbol.section = section >= kIndexReserve ? kNoSection : section;
  return symbol;
}

Symbol SymbolTable::operator[](std::size_t index) const {
  Symbol symbol = nameless(index);
  if (const std::uint32_t name = name_of(index); name < strings_.size()) {
    ByteReader text(strings_.subspan(name));
    symbol.name = text.c_string("elf.symbol.name").value_or(std::string_view());
  }
  return symbol;
}

std::string_view without_version(std::string_view name) {
  if (name.empty()) return name;
  const std::size_t at = name.find('@');
  return at == 0 || name.front() == '?' ? name : name.substr(0, at);  // "?" starts a name of the Microsoft kind
}

bool names_code(const Symbol& symbol, Machine machine, bool in_code) {
  const std::string_view name = symbol.name;
  if (symbol.section == kIndexUndef || symbol.section == kNoSection || name.empty() || !in_code) return false;
  if (symbol.type == SymbolType::func || symbol.type == SymbolType::ifunc) return true;
  if (symbol.type != SymbolType::notype || name.starts_with(".L")) return false;
  const bool marks = machine == Machine::arm || machine == Machine::aarch64 || machine == Machine::riscv;
  if (!marks || name.size() < 2 || name[0] != '$') return true;
  const std::string_view kinds = "adtx";
  return kinds.find(name[1]) == kinds.npos ||
         (name.size() > 2 && name[2] != '.' && machine != Machine::riscv);  // RISC-V: "$xrv64i2p1…"
}

Read<RelocationTable> RelocationTable::open(const File& file, const Section& section) {
  RelocationTable table;
  table.layout_ = file.layout();
  table.has_addends_ = section.type == SectionType::rela;
  SC_TRY(table.records_, file.contents(section));
  table.count_ = table.records_.size() / Relocation::record_size(table.layout_, table.has_addends_);
  return table;
}

Relocation RelocationTable::operator[](std::size_t index) const {
  Fields in(records_.data() + index * Relocation::record_size(layout_, has_addends_), layout_);
  Relocation relocation;
  relocation.offset = in.word();
  const std::uint64_t info = in.word();
  relocation.symbol = static_cast<std::uint32_t>(layout_.is_64bit ? info >> 32 : info >> 8);
  relocation.type = static_cast<std::uint32_t>(layout_.is_64bit ? info & 0xFFFFFFFF : info & 0xFF);
  if (has_addends_)
    relocation.addend = layout_.is_64bit ? static_cast<std::int64_t>(in.word()) : static_cast<std::int32_t>(in.u32());
  return relocation;
}

}  // namespace symcached::elf
