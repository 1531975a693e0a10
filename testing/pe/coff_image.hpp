#pragma once
/// COFF symbol tables and small object files assembled from a description.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pe/coff_records.hpp"
#include "formats/pe/records.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

struct CoffSymbolSpec {
  std::string name;
  std::uint32_t value = 0;
  std::int32_t section = 1;
  std::uint16_t type = 0x20;       ///< a function
  std::uint8_t storage_class = 2;  ///< external
  std::uint32_t aux = 0;           ///< auxiliary records
  std::uint32_t code_size = 0;     ///< in the first of them
};

/// The string table, with the size in front.
class CoffStrings {
 public:
  std::uint32_t add(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(4 + text_.size());
    text_.c_string(text);
    return at;
  }
  /// What the eight bytes of a section's name hold.
  std::string section_field(std::string_view name) {
    return name.size() <= 8 ? std::string(name) : "/" + std::to_string(add(name));
  }
  std::vector<std::byte> finish() const {
    return Section().u32(static_cast<std::uint32_t>(4 + text_.size())).bytes(text_.finish()).finish();
  }

 private:
  Section text_;
};

inline std::vector<std::byte> coff_symbols(const std::vector<CoffSymbolSpec>& symbols, bool big, CoffStrings& strings) {
  Section out;
  for (const CoffSymbolSpec& symbol : symbols) {
    if (symbol.name.size() <= 8) out.text_in(symbol.name, 8);
    else out.u32(0).u32(strings.add(symbol.name));
    out.u32(symbol.value);
    if (big) out.u32(static_cast<std::uint32_t>(symbol.section));
    else out.u16(static_cast<std::uint16_t>(symbol.section));
    out.u16(symbol.type).u8(symbol.storage_class).u8(static_cast<std::uint8_t>(symbol.aux));
    for (std::uint32_t i = 0; i < symbol.aux; ++i) out.u32(0).u32(symbol.code_size).zeros(big ? 12 : 10);
  }
  return out.finish();
}

struct CoffRelocation {
  std::uint32_t place = 0;
  std::uint32_t symbol = 0;
  std::uint16_t type = 0;
};

struct CoffSectionSpec {
  std::string name;
  std::uint32_t characteristics = 0x60500020;  ///< code, aligned to 16
  std::vector<std::byte> data = {};
  std::vector<CoffRelocation> relocations = {};
  bool counted_in_first = false;  ///< as when there are more relocations than 16 bits can count
};

struct CoffImage {
  std::uint16_t machine = 0x8664;
  bool big = false;
  std::vector<CoffSectionSpec> sections = {};
  std::vector<CoffSymbolSpec> symbols = {};
};

inline constexpr std::uint32_t kCoffDebug = 0x42100040;  ///< characteristics of debug sections

namespace detail {

inline void put_header(Section& out, const CoffImage& image, std::uint32_t symbol_count) {
  const auto sections = static_cast<std::uint32_t>(image.sections.size());
  if (!image.big) {
    out.u16(image.machine).u16(static_cast<std::uint16_t>(sections)).u32(0);
    out.ref32("symbols").u32(symbol_count).u16(0).u16(0);
    return;
  }
  out.u16(0).u16(0xFFFF).u16(2).u16(image.machine).u32(0);
  for (const std::uint8_t byte : pe::kBigObjectClass) out.u8(byte);
  out.zeros(16).u32(sections).ref32("symbols").u32(symbol_count);
}

}  // namespace detail

/// Labels: "sections", "data0"…, "relocations0"…, "symbols", "strings".
inline Section assemble_object(const CoffImage& image) {
  Section out;
  CoffStrings strings;
  const auto symbols = coff_symbols(image.symbols, image.big, strings);
  detail::put_header(out, image, static_cast<std::uint32_t>(symbols.size() / (image.big ? 20 : 18)));
  out.label("sections");
  for (std::size_t i = 0; i < image.sections.size(); ++i) {
    const CoffSectionSpec& section = image.sections[i];
    const std::string number = std::to_string(i);
    const std::size_t count = section.counted_in_first ? 0xFFFF : section.relocations.size();
    out.text_in(strings.section_field(section.name), 8).u32(0).u32(0);
    out.u32(static_cast<std::uint32_t>(section.data.size()))
        .ref32("data" + number)
        .ref32("relocations" + number)
        .u32(0);
    out.u16(static_cast<std::uint16_t>(count)).u16(0);
    out.u32(section.characteristics | (section.counted_in_first ? pe::kSectionManyRelocations : 0));
  }
  for (std::size_t i = 0; i < image.sections.size(); ++i) {
    const CoffSectionSpec& section = image.sections[i];
    out.label("data" + std::to_string(i)).bytes(section.data).label("relocations" + std::to_string(i));
    if (section.counted_in_first) out.u32(static_cast<std::uint32_t>(section.relocations.size() + 1)).zeros(6);
    for (const CoffRelocation& r : section.relocations) out.u32(r.place).u32(r.symbol).u16(r.type);
  }
  out.label("symbols").bytes(symbols).label("strings").bytes(strings.finish());
  return out;
}

/// DWARF 4 of one function `name`, without lines: .debug_abbrev, then .debug_info.
inline std::vector<std::byte> tiny_abbrev() {
  Section out;
  out.u8(1).u8(0x11).u8(1).u16(0);                                                  // a unit with children
  out.u8(2).u8(0x2E).u8(0).u8(3).u8(8).u8(0x11).u8(1).u8(0x12).u8(6).u16(0).u8(0);  // a function: name, low, high
  return out.finish();
}
/// @param address_size  4 or 8
inline Section tiny_info(std::string_view name, std::uint64_t address, std::uint32_t size, std::uint8_t address_size) {
  Section out;
  out.distance32("unit", "end").label("unit").u16(4).label("abbrev").u32(0).u8(address_size).u8(1);
  out.u8(2).c_string(name).label("low_pc");
  if (address_size == 8) out.u64(address);
  else out.u32(static_cast<std::uint32_t>(address));
  out.u32(size).u8(0).label("end");
  return out;
}

}  // namespace symcached::testkit
