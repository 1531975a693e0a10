#include "object/elf/descriptors.hpp"

#include <algorithm>

#include "formats/elf/symbols.hpp"

namespace symcached::object {
namespace {

constexpr std::uint32_t kAddress64 = 38;  // R_PPC64_ADDR64
constexpr std::uint32_t kRelative = 22;   // R_PPC64_RELATIVE

}  // namespace

FunctionDescriptors::FunctionDescriptors(const elf::File& file) : layout_(file.layout()) {
  if (file.machine() != elf::Machine::ppc64 || !layout_.is_64bit) return;
  const elf::Section* const section = file.section(".opd");
  const auto data = section == nullptr ? Read<Bytes>(Bytes()) : file.contents(*section);
  if (!data || data->empty()) return;
  section_ = section;
  data_ = *data;
  const bool is_relocatable = file.type() == elf::FileType::relocatable;
  start_ = is_relocatable ? 0 : section->address;
  std::uint64_t left = file.bytes().size();
  for (const elf::Section& relocations : file.sections()) {
    if (relocations.type != elf::SectionType::rela || relocations.size > left) continue;
    if (is_relocatable && relocations.info != section->index) continue;
    left -= relocations.size;
    read_relocations(file, relocations);
  }
  std::ranges::stable_sort(filled_, {}, &Filled::place);
}

/// Those of a linked file have addresses, in .opd and elsewhere; those of a relocatable one offsets in it.
void FunctionDescriptors::read_relocations(const elf::File& file, const elf::Section& relocations) {
  const bool is_relocatable = file.type() == elf::FileType::relocatable;
  const auto records = elf::RelocationTable::open(file, relocations);
  if (!records) return;
  elf::SymbolTable symbols;
  if (is_relocatable && relocations.link < file.sections().size())
    if (auto table = elf::SymbolTable::open(file, file.sections()[relocations.link])) symbols = *table;
  for (std::size_t i = 0; i < records->size(); ++i) {
    const elf::Relocation record = (*records)[i];
    const std::uint64_t place = record.offset - start_;
    if (place >= data_.size() || record.type != (is_relocatable ? kAddress64 : kRelative)) continue;
    auto code = static_cast<std::uint64_t>(record.addend);
    if (is_relocatable) {
      if (record.symbol >= symbols.size()) continue;
      const elf::Symbol target = symbols.nameless(record.symbol);
      if (target.section >= file.sections().size()) continue;
      code += target.value + file.sections()[target.section].address;
    }
    filled_.push_back({place, code});
  }
}

std::optional<std::uint64_t> FunctionDescriptors::code_of(std::uint64_t value) const {
  const std::uint64_t place = value - start_;
  if (section_ == nullptr || place >= data_.size() || data_.size() - place < sizeof(std::uint64_t)) return std::nullopt;
  const auto filled = std::ranges::lower_bound(filled_, place, {}, &Filled::place);
  if (filled != filled_.end() && filled->place == place) return filled->code;
  const auto word = layout_.load<std::uint64_t>(data_.data() + place);
  return word == 0 ? std::nullopt : std::optional(word);
}

}  // namespace symcached::object
