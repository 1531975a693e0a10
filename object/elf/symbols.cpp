#include "object/elf/symbols.hpp"

#include "formats/elf/symbols.hpp"
#include "object/elf/descriptors.hpp"

namespace symcached::object {
namespace {

/// Names may share their ends, so that all together may be longer than the strings; not without end.
constexpr std::uint64_t kMaxNameBytes = 4;  ///< times the size of the file; real ones stay below one

CodeSymbol::Binding binding_of(elf::SymbolBinding binding) {
  switch (binding) {
    case elf::SymbolBinding::local: return CodeSymbol::Binding::local;
    case elf::SymbolBinding::weak: return CodeSymbol::Binding::weak;
    default: return CodeSymbol::Binding::global;
  }
}

Read<void> add_table(const elf::File& file, const elf::Section& section, const FunctionDescriptors& descriptors,
                     CodeSymbols& symbols) {
  SC_TRY(const auto table, elf::SymbolTable::open(file, section));
  const auto sections = file.sections();
  const bool relocatable = file.type() == elf::FileType::relocatable;
  std::uint64_t name_bytes = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const elf::Symbol symbol = table[i];
    const std::uint64_t limit = file.bytes().size() * kMaxNameBytes;
    name_bytes += symbol.name.size();
    if (name_bytes > limit) return too_large("elf.symtab.names", section.offset, name_bytes, limit);
    // A file of dynamic symbols alone may have lost its sections; the addresses then have to do.
    const bool known = symbol.section < sections.size();
    const bool is_descriptor = descriptors.is_in(symbol.section) && symbol.type == elf::SymbolType::func;
    const bool in_code = !known || is_descriptor || sections[symbol.section].is_code();
    if (!elf::names_code(symbol, file.machine(), in_code)) continue;
    std::uint64_t address = symbol.value;
    if (is_descriptor) {
      const auto code = descriptors.code_of(address);
      if (!code) continue;
      address = *code;
    }
    if (file.machine() == elf::Machine::arm && symbol.type != elf::SymbolType::notype) address &= ~std::uint64_t{1};
    if (relocatable && !is_descriptor) address += known ? sections[symbol.section].address : 0;
    symbols.add({.address = address,
                 .size = symbol.size,
                 .name = elf::without_version(symbol.name),
                 .binding = binding_of(symbol.binding)});
  }
  return {};
}

}  // namespace

std::vector<CodeRange> code_ranges_of(const elf::File& file) {
  std::vector<CodeRange> ranges;
  for (const elf::AddressRange& range : file.code_ranges()) ranges.push_back({range.start, range.end});
  return ranges;
}

std::vector<model::CodeSection> code_sections_of(const elf::File& file) {
  std::vector<model::CodeSection> places;
  if (file.type() != elf::FileType::relocatable) return places;
  for (const elf::Section& section : file.sections())
    if (section.is_code())
      places.push_back({.name = std::string(section.name), .start = {section.address}, .size = section.size});
  return places;
}

Read<void> add_elf_symbols(const elf::File& file, CodeSymbols& symbols, const elf::File* program) {
  const FunctionDescriptors descriptors(program == nullptr ? file : *program);
  for (const auto type : {elf::SectionType::symtab, elf::SectionType::dynsym})
    if (const elf::Section* section = file.section(type); section != nullptr)
      if (auto ok = add_table(file, *section, descriptors, symbols); !ok) return ok;
  return {};
}

}  // namespace symcached::object
