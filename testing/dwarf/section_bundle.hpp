#pragma once
/// The sections of DWARF in one run of bytes, for fuzz targets: flags, then each section behind its size.
#include <algorithm>
#include <vector>

#include "formats/dwarf/sections.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

inline constexpr Bytes dwarf::Sections::* kPackedSections[] = {
    &dwarf::Sections::info,   &dwarf::Sections::abbrev,   &dwarf::Sections::line,
    &dwarf::Sections::str,    &dwarf::Sections::line_str, &dwarf::Sections::addr,
    &dwarf::Sections::ranges, &dwarf::Sections::rnglists, &dwarf::Sections::str_offsets,
};
inline constexpr std::uint8_t kPackedBig = 1, kPackedSplit = 2;

inline std::vector<std::byte> pack_dwarf(const dwarf::Sections& sections) {
  Section out;
  out.u8(static_cast<std::uint8_t>((sections.big_endian ? kPackedBig : 0) | (sections.split ? kPackedSplit : 0)));
  for (const auto member : kPackedSections) {
    const Bytes bytes = sections.*member;
    out.u16(static_cast<std::uint16_t>(bytes.size())).bytes(bytes);
  }
  return out.finish();
}

/// Takes any bytes: sizes end where the bytes do, and a section of size 0xFFFF is the first one again. What is left is
/// behind `rest`.
inline dwarf::Sections unpack_dwarf(Bytes bytes, Bytes* rest = nullptr) {
  dwarf::Sections sections;
  if (bytes.empty()) return sections;
  const auto flags = std::to_integer<std::uint8_t>(bytes[0]);
  sections.big_endian = (flags & kPackedBig) != 0;
  sections.split = (flags & kPackedSplit) != 0;
  bytes = bytes.subspan(1);
  for (const auto member : kPackedSections) {
    if (bytes.size() < 2) break;
    const std::size_t size = std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8;
    bytes = bytes.subspan(2);
    if (size == 0xFFFF) {
      sections.*member = sections.info;
      continue;
    }
    sections.*member = bytes.first(std::min(size, bytes.size()));
    bytes = bytes.subspan((sections.*member).size());
  }
  if (rest != nullptr) *rest = bytes;
  return sections;
}

}  // namespace symcached::testkit
