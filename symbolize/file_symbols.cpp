#include "symbolize/file_symbols.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "formats/elf/symbols.hpp"

namespace symcached::symbolize {
namespace {

constexpr int kMaxSectionsTried = 16;  ///< that hold one address

/// Labels of ARM and RISC-V that only say what kind of bytes follow.
bool marks_bytes(std::string_view name, elf::Machine machine) {
  const bool has_marks =
      machine == elf::Machine::arm || machine == elf::Machine::aarch64 || machine == elf::Machine::riscv;
  return has_marks && name.size() >= 2 && name[0] == '$' &&
         std::string_view("adtx").find(name[1]) != std::string_view::npos && (name.size() == 2 || name[2] == '.');
}

const elf::Section* symbols_of(const elf::File& file) {
  const elf::Section* const whole = file.section(elf::SectionType::symtab);
  return whole != nullptr ? whole : file.section(elf::SectionType::dynsym);
}

}  // namespace

FileSymbols FileSymbols::open(Bytes bytes) {
  FileSymbols symbols;
  if (auto file = elf::File::open(bytes)) symbols.file_ = *std::move(file);
  return symbols;
}

void FileSymbols::read() {
  if (is_read_ || !file_) return;
  is_read_ = true;
  if (const elf::Section* const table = symbols_of(*file_)) read(*table);
}

void FileSymbols::read(const elf::Section& section) {
  const elf::File& file = *file_;
  const auto table = elf::SymbolTable::open(file, section);
  if (!table) return;
  const std::uint64_t mark = file.machine() == elf::Machine::arm ? 1 : 0;  // of Thumb code
  const bool is_object = file.header().type == elf::FileType::relocatable;
  std::string_view source;
  bool several_sources = false, symbol_seen = false, source_seen = false;
  for (std::size_t i = 1; i < table->size(); ++i) {
    const elf::Symbol symbol = (*table)[i];
    if (symbol.type == elf::SymbolType::file) {
      source = symbol.name;
      source_seen = true;
      several_sources = several_sources || symbol_seen;
      continue;
    }
    symbol_seen = true;
    const bool is_code = symbol.type == elf::SymbolType::func || symbol.type == elf::SymbolType::ifunc;
    const bool is_data = symbol.type == elf::SymbolType::object;
    if (!is_code && !is_data && symbol.type != elf::SymbolType::notype) continue;
    if (symbol.section >= file.sections().size() || symbol.section == elf::kIndexUndef) continue;
    const elf::Section& place = file.sections()[symbol.section];
    if ((place.flags & elf::kFlagAlloc) == 0 || (is_object && !place.is_code())) continue;
    if (!is_code && !is_data && marks_bytes(symbol.name, file.machine())) continue;
    const bool is_local = symbol.binding == elf::SymbolBinding::local;
    const bool is_from_source = source_seen && (is_local || !several_sources);
    symbols_.push_back(
        {.symbol = {.address = (is_code ? symbol.value & ~mark : symbol.value) + (is_object ? place.address : 0),
                    .size = symbol.size,
                    .name = symbol.name,
                    .source = is_from_source ? source : std::string_view()},
         .section = symbol.section,
         .type = is_code   ? Type::function
                 : is_data ? Type::object
                           : Type::untyped,
         .is_local = is_local});
  }
}

void FileSymbols::sort() {
  read();
  if (!sorted_.empty()) return;
  sorted_.resize(symbols_.size());
  for (std::uint32_t i = 0; i < sorted_.size(); ++i) sorted_[i] = i;
  std::ranges::sort(
      sorted_, {}, [&](std::uint32_t i) { return std::tuple(symbols_[i].symbol.address, symbols_[i].symbol.size, i); });
  // Of each address the last.
  auto out = sorted_.begin();
  for (auto at = sorted_.begin(); at != sorted_.end(); ++at) {
    const auto next = at + 1;
    if (next == sorted_.end() || symbols_[*next].symbol.address != symbols_[*at].symbol.address) *out++ = *at;
  }
  sorted_.erase(out, sorted_.end());
}

std::optional<FileSymbol> FileSymbols::at(std::uint64_t address) {
  sort();
  const auto behind =
      std::ranges::upper_bound(sorted_, address, {}, [&](std::uint32_t i) { return symbols_[i].symbol.address; });
  if (behind == sorted_.begin()) return std::nullopt;
  Entry found = symbols_[*std::prev(behind)];
  if (found.symbol.size != 0 && address - found.symbol.address >= found.symbol.size) return std::nullopt;
  if (!found.is_local) found.symbol.source = {};
  return found.symbol;
}

/// Both start at or before the address.
bool FileSymbols::fits_better(const Entry& one, const Entry& best, std::uint64_t address) const {
  const auto size_of = [](const Entry& entry) { return std::max<std::uint64_t>(entry.symbol.size, 1); };
  const auto holds = [&](const Entry& entry) { return address - entry.symbol.address < size_of(entry); };
  if (one.symbol.address != best.symbol.address) return one.symbol.address > best.symbol.address;
  if (!holds(best)) return size_of(one) > size_of(best);
  if (!holds(one)) return false;
  if (one.type != best.type) return one.type == Type::function;
  return size_of(one) < size_of(best);
}

std::optional<FileSymbol> FileSymbols::before(std::uint64_t address) {
  read();
  if (!file_) return std::nullopt;
  int tried = 0;
  for (const elf::Section& section : file_->sections()) {
    if ((section.flags & elf::kFlagAlloc) == 0 || address - section.address >= section.size) continue;
    if (++tried > kMaxSectionsTried) break;
    const Entry* best = nullptr;
    for (const Entry& entry : symbols_) {
      if (entry.section != section.index || entry.type == Type::object || entry.symbol.address > address) continue;
      if (best == nullptr || fits_better(entry, *best, address)) best = &entry;
    }
    if (best != nullptr) return best->symbol;
  }
  return std::nullopt;
}

std::vector<FileSymbol> FileSymbols::named(std::string_view name) {
  read();
  std::vector<FileSymbol> found;
  for (const Entry& entry : symbols_)
    if (entry.symbol.name == name) found.push_back(entry.symbol);
  return found;
}

std::optional<elf::AddressRange> FileSymbols::section(std::string_view name) const {
  const elf::Section* const found = file_ ? file_->section(name) : nullptr;
  if (found == nullptr) return std::nullopt;
  return elf::AddressRange{found->address, found->address + found->size};
}

}  // namespace symcached::symbolize
