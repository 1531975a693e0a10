#include "formats/pe/coff_relocations.hpp"

#include <cstring>
#include <optional>

namespace symcached::pe {
namespace {

enum class Meaning : std::uint8_t { none, address64, address32, rva32, section_offset32, section_number16 };

struct TypeRow {
  Machine machine;
  std::uint16_t type;
  Meaning meaning;
};
constexpr TypeRow kTypes[] = {
    {Machine::amd64, 0x0, Meaning::none},
    {Machine::amd64, 0x1, Meaning::address64},
    {Machine::amd64, 0x2, Meaning::address32},
    {Machine::amd64, 0x3, Meaning::rva32},
    {Machine::amd64, 0xA, Meaning::section_number16},
    {Machine::amd64, 0xB, Meaning::section_offset32},
    {Machine::i386, 0x0, Meaning::none},
    {Machine::i386, 0x6, Meaning::address32},
    {Machine::i386, 0x7, Meaning::rva32},
    {Machine::i386, 0xA, Meaning::section_number16},
    {Machine::i386, 0xB, Meaning::section_offset32},
    {Machine::arm64, 0x0, Meaning::none},
    {Machine::arm64, 0x1, Meaning::address32},
    {Machine::arm64, 0x2, Meaning::rva32},
    {Machine::arm64, 0x8, Meaning::section_offset32},
    {Machine::arm64, 0xD, Meaning::section_number16},
    {Machine::arm64, 0xE, Meaning::address64},
    {Machine::armnt, 0x0, Meaning::none},
    {Machine::armnt, 0x1, Meaning::address32},
    {Machine::armnt, 0x2, Meaning::rva32},
    {Machine::armnt, 0xE, Meaning::section_number16},
    {Machine::armnt, 0xF, Meaning::section_offset32},
};

std::optional<Meaning> meaning_of(Machine machine, std::uint16_t type) {
  if (machine == Machine::arm64ec) machine = Machine::arm64;
  for (const TypeRow& row : kTypes)
    if (row.machine == machine && row.type == type) return row.meaning;
  return std::nullopt;
}

/// Adds to the integer at `place`, as all types do: the addend is in the data. What is nowhere becomes 0.
template <class T>
Read<void> add(std::span<std::byte> data, std::uint64_t place, std::uint64_t value, bool is_somewhere) {
  SC_TRY(const T old, read_at<T>(data, place, "coff.relocation.place"));
  T sum = 0;
  if (is_somewhere) sum = static_cast<decltype(+old)>(old + value);
  std::memcpy(data.data() + place, &sum, sizeof(sum));
  return {};
}

}  // namespace

Read<void> relocate(const CoffObject& object, const SectionHeader& section, std::span<const SectionPlace> places,
                    std::uint64_t image_base, std::span<std::byte> data) {
  SC_TRY(const auto relocations, object.relocations(section));
  for (const RelocationRecord& relocation : relocations) {
    const auto meaning = meaning_of(object.machine(), relocation.type);
    if (!meaning) return bad_value("coff.relocation.type", relocation.place, relocation.type);
    if (*meaning == Meaning::none) continue;
    SC_TRY(const auto symbol, object.symbols().at(relocation.symbol));
    const bool defined = symbol.section > 0 && static_cast<std::uint32_t>(symbol.section) <= places.size();
    const std::uint64_t section_address = defined ? places[static_cast<std::size_t>(symbol.section) - 1].address : 0;
    const std::uint64_t place = std::uint64_t{relocation.place} - section.rva;
    const std::uint64_t address = section_address + symbol.value;
    Read<void> done;
    switch (*meaning) {
      case Meaning::address64: done = add<u64le>(data, place, address, section_address != 0); break;
      case Meaning::address32: done = add<u32le>(data, place, address, section_address != 0); break;
      case Meaning::rva32: done = add<u32le>(data, place, address - image_base, section_address != 0); break;
      case Meaning::section_offset32: done = add<u32le>(data, place, symbol.value, defined); break;
      case Meaning::section_number16:
      case Meaning::none: break;
    }
    if (!done) return done;
  }
  return {};
}

}  // namespace symcached::pe
