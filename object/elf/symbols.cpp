#include "object/elf/symbols.hpp"

#include <algorithm>
#include <optional>

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

/// Nothing if it names no code.
std::optional<CodeSymbol> code_symbol(const elf::File& file, const FunctionDescriptors& descriptors,
                                      const elf::Symbol& symbol) {
  const auto sections = file.sections();
  // A file of dynamic symbols alone may have lost its sections; the addresses then have to do.
  const bool known = symbol.section < sections.size();
  const bool is_descriptor = descriptors.is_in(symbol.section) && symbol.type == elf::SymbolType::func;
  const bool in_code = !known || is_descriptor || sections[symbol.section].is_code();
  if (!elf::names_code(symbol, file.machine(), in_code)) return std::nullopt;
  std::uint64_t address = symbol.value;
  if (is_descriptor) {
    const auto code = descriptors.code_of(address);
    if (!code) return std::nullopt;
    address = *code;
  }
  if (file.machine() == elf::Machine::arm && symbol.type != elf::SymbolType::notype) address &= ~std::uint64_t{1};
  const bool is_offset = file.type() == elf::FileType::relocatable && !is_descriptor;
  if (is_offset) address += known ? sections[symbol.section].address : 0;
  return CodeSymbol{.address = address,
                    .size = symbol.size,
                    .name = elf::without_version(symbol.name),
                    .binding = binding_of(symbol.binding)};
}

Read<void> add_table(const elf::File& file, const elf::Section& section, const FunctionDescriptors& descriptors,
                     CodeSymbols& symbols) {
  SC_TRY(const auto table, elf::SymbolTable::open(file, section));
  std::uint64_t name_bytes = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const elf::Symbol symbol = table[i];
    const std::uint64_t limit = file.bytes().size() * kMaxNameBytes;
    name_bytes += symbol.name.size();
    if (name_bytes > limit) return too_large("elf.symtab.names", section.offset, name_bytes, limit);
    if (const auto code = code_symbol(file, descriptors, symbol)) symbols.add(*code);
  }
  return {};
}

/// The symbols of one table next to a range of addresses.
class Around {
 public:
  Around(const elf::File& file, const elf::SymbolTable& table, CodeRange range, CodeSymbols& out)
      : file_(file), table_(table), range_(range), out_(out) {}

  void look_at(std::size_t index) {
    const elf::Symbol bare = table_.nameless(index);
    const std::uint64_t address = bare.value, reach = bare.size > ~address ? ~std::uint64_t{0} : address + bare.size;
    if (address >= range_.start && address <= range_.end) take(index);
    else if (address > range_.end) improve(after_, index, address < after_.address, address);
    else if (reach > range_.start) take(index);
    else improve(before_, index, address > before_.address || before_.found.empty(), address);
  }
  void finish() {
    for (const CodeSymbol& symbol : before_.found) out_.add(symbol);
    for (const CodeSymbol& symbol : after_.found) out_.add(symbol);
  }

 private:
  struct Nearest {
    std::uint64_t address = 0;
    std::vector<CodeSymbol> found;
  };
  void take(std::size_t index) {
    if (const auto symbol = code_symbol(file_, no_descriptors_, table_[index])) out_.add(*symbol);
  }
  /// Names are only looked at of what may be nearer than what there is.
  void improve(Nearest& nearest, std::size_t index, bool is_nearer, std::uint64_t address) {
    if (!is_nearer && (nearest.found.empty() || address != nearest.address)) return;
    const auto symbol = code_symbol(file_, no_descriptors_, table_[index]);
    if (!symbol || !is_in_code(address)) return;
    if (is_nearer) nearest = {address, {}};
    nearest.found.push_back(*symbol);
  }
  bool is_in_code(std::uint64_t address) const {
    return std::ranges::any_of(code_,
                               [&](const elf::AddressRange& r) { return address >= r.start && address < r.end; });
  }

  const elf::File& file_;
  const elf::SymbolTable& table_;
  const CodeRange range_;
  CodeSymbols& out_;
  const FunctionDescriptors no_descriptors_;
  const std::vector<elf::AddressRange> code_ = file_.code_ranges();
  Nearest before_, after_{.address = ~std::uint64_t{0}, .found = {}};
};

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

Read<void> add_elf_symbols_around(const elf::File& file, CodeRange around, CodeSymbols& symbols) {
  for (const auto type : {elf::SectionType::symtab, elf::SectionType::dynsym}) {
    const elf::Section* const section = file.section(type);
    if (section == nullptr) continue;
    SC_TRY(const auto table, elf::SymbolTable::open(file, *section));
    Around near(file, table, around, symbols);
    for (std::size_t i = 0; i < table.size(); ++i) near.look_at(i);
    near.finish();
  }
  return {};
}

}  // namespace symcached::object
