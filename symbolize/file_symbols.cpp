#include "symbolize/file_symbols.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "formats/elf/symbols.hpp"

namespace symcached::symbolize {
namespace {

constexpr int kMaxSectionsTried = 16;   ///< that hold one address
constexpr int kQuestionsToSortFor = 5;  ///< a sort takes as long as some passes over all symbols

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

FileSymbols::Place FileSymbols::place_of(std::uint32_t index) const {
  return {symbols_[index].section, symbols_[index].symbol.address};
}

/// Those of one place stand together: functions first, then by size.
void FileSymbols::sort_by_section(std::vector<std::uint32_t>& symbols) const {
  std::ranges::sort(symbols, {}, [&](std::uint32_t i) {
    return std::tuple(place_of(i), symbols_[i].type != Type::function, size_of(symbols_[i]), i);
  });
}

/// Symbols of code at the last address up to this one in its section, sorted as above. Lives until the next call.
std::span<const std::uint32_t> FileSymbols::nearest(Place place) {
  return questions_ < kQuestionsToSortFor ? scan_for(place) : search_for(place);
}

std::span<const std::uint32_t> FileSymbols::scan_for(Place place) {
  nearest_.clear();
  for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
    const Place here = place_of(i);
    if (symbols_[i].type == Type::object || here.first != place.first || here.second > place.second) continue;
    if (!nearest_.empty() && here < place_of(nearest_.front())) continue;
    if (!nearest_.empty() && here > place_of(nearest_.front())) nearest_.clear();
    nearest_.push_back(i);
  }
  sort_by_section(nearest_);
  return nearest_;
}

std::span<const std::uint32_t> FileSymbols::search_for(Place place) {
  if (by_section_.empty()) {
    for (std::uint32_t i = 0; i < symbols_.size(); ++i)
      if (symbols_[i].type != Type::object) by_section_.push_back(i);
    sort_by_section(by_section_);
  }
  const auto place_at = [&](std::uint32_t i) { return place_of(i); };
  const auto behind = std::ranges::upper_bound(by_section_, place, {}, place_at);
  if (behind == by_section_.begin() || place_of(*std::prev(behind)).first != place.first) return {};
  const auto first = std::ranges::lower_bound(by_section_.begin(), behind, place_of(*std::prev(behind)), {}, place_at);
  return {first, behind};
}

/// Of symbols at one place: the smallest function that reaches beyond `distance`, else such a label, else the largest.
const FileSymbols::Entry& FileSymbols::best_of(std::span<const std::uint32_t> place, std::uint64_t distance) const {
  const auto size = [&](std::uint32_t i) { return size_of(symbols_[i]); };
  const auto labels =
      std::ranges::partition_point(place, [&](std::uint32_t i) { return symbols_[i].type == Type::function; });
  const std::span<const std::uint32_t> kinds[] = {{place.begin(), labels}, {labels, place.end()}};
  for (const auto kind : kinds)
    if (const auto holds = std::ranges::upper_bound(kind, distance, {}, size); holds != kind.end())
      return symbols_[*holds];
  std::uint32_t largest = place.front();
  for (const auto kind : kinds) {
    if (kind.empty()) continue;
    const std::uint32_t first = *std::ranges::lower_bound(kind, size(kind.back()), {}, size);
    if (std::tuple(size(first), largest) > std::tuple(size(largest), first)) largest = first;
  }
  return symbols_[largest];
}

std::optional<FileSymbol> FileSymbols::before(std::uint64_t address) {
  read();
  if (!file_) return std::nullopt;
  int tried = 0;
  ++questions_;
  for (const elf::Section& section : file_->sections()) {
    if ((section.flags & elf::kFlagAlloc) == 0 || address - section.address >= section.size) continue;
    if (++tried > kMaxSectionsTried) break;
    if (const auto found = nearest({section.index, address}); !found.empty())
      return best_of(found, address - place_of(found.front()).second).symbol;
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
