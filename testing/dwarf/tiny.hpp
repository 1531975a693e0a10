#pragma once
/// DWARF 4 of one unit without lines: functions with names and extents, enough to see which addresses a container's
/// translator makes of them.
#include <cstdint>
#include <string_view>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

struct TinyFunction {
  std::string_view name;
  std::uint64_t low = 0;
  std::uint32_t size = 0;
};

struct TinyDwarf {
  std::vector<std::byte> abbrev, info;
  std::vector<std::uint32_t> low_offsets;  ///< where in info the functions' addresses stand
};

/// @param address_size  4 or 8; little-endian
inline TinyDwarf tiny_dwarf(const std::vector<TinyFunction>& functions, std::uint8_t address_size) {
  constexpr std::uint8_t kUnit = 0x11, kSubprogram = 0x2E, kName = 0x03, kLow = 0x11, kHigh = 0x12;
  constexpr std::uint8_t kString = 0x08, kAddress = 0x01, kData4 = 0x06;
  TinyDwarf out;
  Section abbrev;
  abbrev.u8(1).u8(kUnit).u8(1).u8(kName).u8(kString).u16(0);
  abbrev.u8(2).u8(kSubprogram).u8(0).u8(kName).u8(kString).u8(kLow).u8(kAddress).u8(kHigh).u8(kData4).u16(0).u8(0);
  Section body;
  body.u16(4).u32(0).u8(address_size).u8(1).c_string("tiny.c");
  for (const TinyFunction& function : functions) {
    body.u8(2).c_string(function.name);
    out.low_offsets.push_back(static_cast<std::uint32_t>(body.size()) + 4);
    if (address_size == 8) body.u64(function.low);
    else body.u32(static_cast<std::uint32_t>(function.low));
    body.u32(function.size);
  }
  body.u8(0);
  out.abbrev = abbrev.finish();
  out.info = Section().u32(static_cast<std::uint32_t>(body.size())).bytes(body.finish()).finish();
  return out;
}

}  // namespace symcached::testkit
