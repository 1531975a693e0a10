#pragma once
/// A small PE image assembled from a description: headers, three sections, a debug directory, a string table.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pe/records.hpp"
#include "testing/assembler.hpp"
#include "testing/pe/coff_image.hpp"

namespace symcached::testkit {

/// One entry of the debug directory and the bytes it points to.
struct PeDebugEntry {
  pe::DebugType type = pe::DebugType::codeview;
  std::vector<std::byte> data = {};
  std::uint16_t minor_version = 0;
  std::uint32_t timestamp = 0;
  bool by_rva_only = false;  ///< leave the file offset 0
};

/// One exported name; without a name only the ordinal counts. A forwarder has text in place of an address.
struct PeExport {
  std::string name = {};
  std::uint16_t slot = 0;  ///< ordinal without the base, which is 7
  std::uint32_t rva = 0;
  std::string forwarder = {};
};

/// A section behind the four that every image has.
struct PeExtraSection {
  std::string name;
  std::vector<std::byte> data;
};

struct PeImage {
  bool is_64bit = true;
  std::uint16_t machine = static_cast<std::uint16_t>(pe::Machine::amd64);
  std::uint16_t characteristics = 0x22;
  std::uint32_t timestamp = 0x5AB38077;
  std::uint32_t image_size = 0x9000;
  std::uint32_t directory_count = 16;  ///< as the header states it; at most 16 are written
  bool managed = false;                ///< has a CLR header directory
  std::uint32_t cli_rva = 0x1000;      ///< where it points; not to a header unless an extra section holds one
  std::vector<PeDebugEntry> debug = {};
  std::vector<PeExport> exports = {};
  std::vector<std::byte> exceptions = {};  ///< the exception directory
  std::vector<std::byte> unwind = {};      ///< at kPeUnwindRva
  bool debug_names = true;                 ///< the third and fourth section are .debug_info and .debug_str, of zeros
  std::vector<PeExtraSection> extra = {};
  std::vector<CoffSymbolSpec> symbols = {};  ///< empty: one of zeros
};

inline constexpr std::uint32_t kPeTextRva = 0x1000;   ///< 16 bytes of code at file offset 0x400, 0x100 in memory
inline constexpr std::uint32_t kPeRdataRva = 0x2000;  ///< holds the debug directory, file offset 0x600
inline constexpr std::uint32_t kPeRdataBias = kPeRdataRva - 0x600;
inline constexpr std::uint32_t kPeUnwindRva = 0x2300;
inline constexpr std::uint32_t kPeExtraRva = 0x5000;  ///< of the first extra section; the next is 0x1000 farther

/// The GUID 01020304-0506-0708-090a-0b0c0d0e0f10 as a PE holds it, with its last byte chosen.
inline std::vector<std::byte> rsds(std::string_view path, std::uint32_t age, std::uint8_t last = 0x10) {
  Section out;
  out.u32(pe::kRsds).u32(0x01020304).u16(0x0506).u16(0x0708).u64_big(0x090A0B0C0D0E0F00 | last);
  return out.u32(age).c_string(path).finish();
}

inline std::vector<std::byte> nb10(std::string_view path, std::uint32_t timestamp, std::uint32_t age) {
  return Section().u32(pe::kNb10).u32(0).u32(timestamp).u32(age).c_string(path).finish();
}

namespace detail {

inline void put_optional_header(Section& out, const PeImage& image) {
  out.label("optional").u16(image.is_64bit ? pe::kMagicPe32Plus : pe::kMagicPe32).u8(14).u8(30);
  out.u32(0x200).u32(0x200).u32(0).u32(kPeTextRva + 4).u32(kPeTextRva);
  if (image.is_64bit) out.u64(0x140000000);
  else out.u32(kPeRdataRva).u32(0x400000);
  out.u32(0x1000).u32(0x200).zeros(12).u32(0).u32(image.image_size).u32(0x400).u32(0).u16(3).u16(0x8160);
  out.zeros(image.is_64bit ? 32 : 16).u32(0).label("directory_count").u32(image.directory_count);
  for (std::uint32_t i = 0; i < image.directory_count && i < pe::kMaxDirectories; ++i) {
    const auto which = static_cast<pe::Directory>(i);
    if (which == pe::Directory::debug && !image.debug.empty())
      out.ref32("debug", kPeRdataBias).distance32("debug", "debug_end");
    else if (which == pe::Directory::exports && !image.exports.empty())
      out.ref32("exports", kPeRdataBias).distance32("exports", "exports_end");
    else if (which == pe::Directory::exceptions && !image.exceptions.empty())
      out.ref32("exceptions", kPeRdataBias).distance32("exceptions", "exceptions_end");
    else if (which == pe::Directory::clr_header && image.managed) out.u32(image.cli_rva).u32(72);
    else out.u32(0).u32(0);
  }
  out.label("optional_end");
}

inline void put_section(Section& out, std::string_view name, std::uint32_t size, std::uint32_t rva,
                        std::uint32_t raw_size, std::uint32_t raw_offset) {
  out.text_in(name, 8).u32(size).u32(rva).u32(raw_size).u32(raw_offset).zeros(12);
  out.u32(name == ".text" ? 0x60000020 : 0x40000040);
}

inline void put_debug(Section& out, const PeImage& image) {
  out.label("debug");
  for (std::size_t i = 0; i < image.debug.size(); ++i) {
    const PeDebugEntry& entry = image.debug[i];
    const std::string name = "data" + std::to_string(i);
    out.u32(0).u32(entry.timestamp).u16(0x100).u16(entry.minor_version).u32(static_cast<std::uint32_t>(entry.type));
    out.distance32(name, name + "_end").ref32(name, kPeRdataBias);
    if (entry.by_rva_only) out.u32(0);
    else out.ref32(name);
  }
  out.label("debug_end");
  for (std::size_t i = 0; i < image.debug.size(); ++i) {
    const std::string name = "data" + std::to_string(i);
    out.label(name).bytes(image.debug[i].data).label(name + "_end");
  }
}

inline void put_exports(Section& out, const PeImage& image) {
  std::uint32_t slots = 0, names = 0;
  for (const PeExport& symbol : image.exports) {
    slots = std::max(slots, symbol.slot + 1u);
    names += symbol.name.empty() ? 0 : 1;
  }
  out.label("exports").u32(0).u32(0).u32(0).u32(0).u32(7).u32(slots).u32(names);
  out.ref32("addresses", kPeRdataBias).ref32("names", kPeRdataBias).ref32("ordinals", kPeRdataBias);
  out.label("addresses");
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const auto found = std::ranges::find(image.exports, slot, &PeExport::slot);
    if (found == image.exports.end()) out.u32(0);
    else if (found->forwarder.empty()) out.u32(found->rva);
    else out.ref32("forward" + std::to_string(slot), kPeRdataBias);
  }
  out.label("names");
  for (std::size_t i = 0; i < image.exports.size(); ++i)
    if (!image.exports[i].name.empty()) out.ref32("name" + std::to_string(i), kPeRdataBias);
  out.label("ordinals");
  for (const PeExport& symbol : image.exports)
    if (!symbol.name.empty()) out.u16(symbol.slot);
  for (std::size_t i = 0; i < image.exports.size(); ++i) {
    const PeExport& symbol = image.exports[i];
    if (!symbol.name.empty()) out.label("name" + std::to_string(i)).c_string(symbol.name);
    if (!symbol.forwarder.empty()) out.label("forward" + std::to_string(symbol.slot)).c_string(symbol.forwarder);
  }
  out.label("exports_end");
}

inline void put_rdata(Section& out, const PeImage& image) {
  put_debug(out, image);
  if (!image.exports.empty()) put_exports(out, image);
  if (!image.exceptions.empty()) out.align(4).label("exceptions").bytes(image.exceptions).label("exceptions_end");
  if (!image.unwind.empty()) out.pad_to(kPeUnwindRva - kPeRdataBias).bytes(image.unwind);
}

}  // namespace detail

/// Labels: "coff", "optional", "directory_count", "sections", "sections_end", "debug", "data0"…, "exports",
/// "exceptions", "extra0"…, "symbols" and "strings".
inline Section assemble(const PeImage& image) {
  Section out;
  CoffStrings strings;
  strings.add(".debug_info");
  strings.add(".debug_str");
  const std::vector<std::byte> symbols =
      image.symbols.empty() ? std::vector<std::byte>(18) : coff_symbols(image.symbols, false, strings);
  out.text("MZ").zeros(58).ref32("pe").label("pe").text("PE").zeros(2);
  out.label("coff").u16(image.machine).u16(static_cast<std::uint16_t>(4 + image.extra.size())).u32(image.timestamp);
  out.ref32("symbols").u32(static_cast<std::uint32_t>(symbols.size() / 18));
  out.u16(static_cast<std::uint16_t>((image.is_64bit ? 112 : 96) + 8 * std::min(image.directory_count, 16U)));
  out.u16(image.characteristics);
  detail::put_optional_header(out, image);
  out.label("sections");
  detail::put_section(out, ".text", 0x100, kPeTextRva, 0x10, 0x400);
  detail::put_section(out, ".rdata", 0, kPeRdataRva, 0x400, 0x600);
  detail::put_section(out, image.debug_names ? "/4" : ".data", 0x10, 0x3000, 0x10, 0xA00);
  detail::put_section(out, image.debug_names ? "//AAAAAQ" : ".bss", 0x10, 0x4000, 0x10, 0xA10);
  for (std::size_t i = 0; i < image.extra.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(image.extra[i].data.size());
    const std::string label = "extra" + std::to_string(i);
    out.text_in(strings.section_field(image.extra[i].name), 8).u32(size);
    out.u32(static_cast<std::uint32_t>(kPeExtraRva + 0x1000 * i)).u32(size + 8).ref32(label).zeros(12).u32(0x42000040);
  }
  out.label("sections_end").pad_to(0x400).text("0123456789abcdef").pad_to(0x600);
  detail::put_rdata(out, image);
  out.pad_to(0xA00).zeros(0x20);
  for (std::size_t i = 0; i < image.extra.size(); ++i)
    out.label("extra" + std::to_string(i)).bytes(image.extra[i].data).zeros(8);  // padding that is not mapped
  out.label("symbols").bytes(symbols).label("strings").bytes(strings.finish()).label("end");
  return out;
}

/// One of everything: two RSDS (one portable), NB10, an unknown signature, and entries that are not CodeView.
inline PeImage rich_image(bool is_64bit) {
  PeImage image;
  image.is_64bit = is_64bit;
  image.debug = {
      {.data = rsds("C:\\build\\app.ni.pdb", 0x1A), .timestamp = 0x11},
      {.data = rsds("app.pdb", 1, 0x11), .minor_version = pe::kPortableMinor, .timestamp = 0xDEADBEEF},
      {.data = nb10("old.pdb", 0x3B7D8453, 5), .by_rva_only = true},
      {.data = Section().text("NB09").zeros(4).finish()},
      {.type = pe::DebugType::repro},
      {.type = pe::DebugType::pdb_checksum, .data = Section().c_string("SHA256").zeros(32).finish()},
      {.type = pe::DebugType::embedded_portable_pdb, .data = Section().text("MPDB").u32(9).text("deflated").finish()},
      {.type = pe::DebugType::ex_dll_characteristics, .data = Section().u32(1).finish()},
  };
  return image;
}

/// The header, whose metadata of this size follows it.
inline Section cli_header_of(std::uint32_t metadata_size) {
  return Section().u32(72).u16(2).u16(5).u32(kPeExtraRva + 72).u32(metadata_size).u32(1).u32(0x06000001).zeros(48);
}

/// An assembly: eight bytes of metadata, two RSDS (the second one portable), two checksums, an embedded "PDB".
inline PeImage managed_image() {
  PeImage spec{.machine = 0x14C, .managed = true, .cli_rva = kPeExtraRva};
  spec.extra = {{".text2", cli_header_of(8).text("BSJB").u32(7).finish()}};
  spec.debug = {
      {.data = rsds("C:\\app.ni.pdb", 1, 0x20)},
      {.data = rsds("app.pdb", 1), .minor_version = pe::kPortableMinor, .timestamp = 0xCAFEF00D},
      {.type = pe::DebugType::pdb_checksum, .data = Section().c_string("SHA256").zeros(32).finish()},
      {.type = pe::DebugType::pdb_checksum, .data = Section().c_string("SHA384").zeros(48).finish()},
      {.type = pe::DebugType::repro},
      // 16 times "a", deflated
      {.type = pe::DebugType::embedded_portable_pdb,
       .data = Section().text("MPDB").u32(16).u8(0x4B).u32_big(0x4C440500).finish(),
       .minor_version = 0x100},
  };
  return spec;
}

}  // namespace symcached::testkit
