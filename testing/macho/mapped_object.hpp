#pragma once
/// An object file with DWARF, and an image whose debug map names it.
#include <cstdint>
#include <string_view>
#include <vector>

#include "testing/dwarf/tiny.hpp"
#include "testing/macho/image.hpp"

namespace symcached::testkit {

/// An object file with two functions, of which the linker kept the second and placed it at 0x100000480.
inline MachoImage object_file(bool by_symbol) {
  MachoImage object;
  object.type = macho::FileType::object;
  object.uuid.reset();
  object.text_address = 0;
  object.symbols = {{.name = "ltmp0", .value = 0}, {.name = "_dropped", .value = 0}, {.name = "_kept", .value = 0x20}};
  const auto dwarf = tiny_dwarf({{"dropped", 0, 0x20}, {"kept", by_symbol ? 0u : 0x20u, 0x18}}, 8);
  object.sections = {
      {.segment = "__TEXT", .name = "__text", .data = std::vector<std::byte>(0x40), .flags = kMachoCode},
      {.segment = "__DWARF", .name = "__debug_abbrev", .address = 0x40, .data = dwarf.abbrev},
      {.segment = "__DWARF", .name = "__debug_info", .address = 0x80, .data = dwarf.info},
  };
  if (by_symbol) object.sections[2].relocations = {{.offset = dwarf.low_offsets[1], .symbol = 2, .external = true}};
  else object.sections[2].relocations = {{.offset = dwarf.low_offsets[1], .symbol = 1}};
  return object;
}

inline MachoImage linked_image(std::string_view path, std::uint64_t modified) {
  MachoImage image;
  image.sections = {{.segment = "__TEXT",
                     .name = "__text",
                     .address = 0x100000400,
                     .data = std::vector<std::byte>(0x100),
                     .flags = kMachoCode}};
  const auto stab = [](macho::Stab type) { return static_cast<std::uint8_t>(type); };
  image.symbols = {
      {.name = path, .type = stab(macho::Stab::object), .section = 0, .value = modified},
      {.name = "_kept", .type = stab(macho::Stab::function), .value = 0x100000480},
      {.name = "", .type = stab(macho::Stab::function), .value = 0x20},
      {.name = "_kept", .value = 0x100000480},
      {.name = "_after", .value = 0x1000004C0},
  };
  return image;
}

}  // namespace symcached::testkit
