#pragma once
/// Small ELF files of either width and byte order, assembled from a description.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/elf/records.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

/// Bytes front to back in the order and width of a file.
class ElfBytes {
 public:
  explicit ElfBytes(elf::Layout layout) : layout_(layout) {}
  ElfBytes& u8(std::uint8_t value) { return put(value); }
  ElfBytes& u16(std::uint64_t value) { return put(static_cast<std::uint16_t>(value)); }
  ElfBytes& u32(std::uint64_t value) { return put(static_cast<std::uint32_t>(value)); }
  ElfBytes& u64(std::uint64_t value) { return put(value); }
  ElfBytes& word(std::uint64_t value) { return layout_.is_64bit ? u64(value) : u32(value); }
  ElfBytes& text(std::string_view value) { return bytes(as_bytes(value)); }
  ElfBytes& c_string(std::string_view value) { return text(value).u8(0); }
  ElfBytes& bytes(Bytes value) {
    out_.insert(out_.end(), value.begin(), value.end());
    return *this;
  }
  ElfBytes& align(std::size_t alignment) {
    out_.resize((out_.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  std::size_t size() const { return out_.size(); }
  std::vector<std::byte> finish() const { return out_; }

 private:
  template <class T>
  ElfBytes& put(T value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(T));
    layout_.store(out_.data() + at, value);
    return *this;
  }
  elf::Layout layout_;
  std::vector<std::byte> out_;
};

struct ElfSection {
  std::string name;
  elf::SectionType type = elf::SectionType::progbits;
  std::uint64_t flags = 0, address = 0;
  std::vector<std::byte> data = {};
  std::uint64_t nobits_size = 0;  ///< of a section without bytes in the file
  std::uint32_t link = 0, info = 0;
  std::uint64_t alignment = 1;
};

/// A segment with the bytes of one section, or with none.
struct ElfSegment {
  std::uint32_t type = elf::kSegmentLoad, flags = 0;
  std::uint64_t address = 0, memory_size = 0;
  std::size_t section = 0;  ///< its index in the file; 0 = none
  std::uint64_t alignment = 0x1000;
};

struct ElfImage {
  elf::Layout layout = {};
  elf::FileType type = elf::FileType::shared;
  elf::Machine machine = elf::Machine::x86_64;
  std::vector<ElfSection> sections = {};  ///< numbered from 1; their names follow as the last section
  std::vector<ElfSegment> segments = {};
  bool numbers_extended = false;  ///< write counts and the index of the names into the null section
};

namespace detail {

inline void put_section(ElfBytes& out, std::uint64_t name, elf::SectionType type, const ElfSection& s,
                        std::uint64_t offset, std::uint64_t size) {
  out.u32(name).u32(static_cast<std::uint32_t>(type)).word(s.flags).word(s.address).word(offset).word(size);
  out.u32(s.link).u32(s.info).word(s.alignment).word(0);
}

inline void put_segment(ElfBytes& out, const ElfImage& image, const ElfSegment& s, std::uint64_t offset,
                        std::uint64_t size) {
  out.u32(s.type);
  if (image.layout.is_64bit) out.u32(s.flags);
  out.word(offset).word(s.address).word(s.address).word(size).word(s.memory_size);
  if (!image.layout.is_64bit) out.u32(s.flags);
  out.word(s.alignment);
}

}  // namespace detail

/// Header, segments, the sections' bytes, section headers.
inline std::vector<std::byte> assemble(const ElfImage& image) {
  const elf::Layout layout = image.layout;
  const std::uint64_t segments_at = elf::Header::size(layout);
  const std::uint64_t segments_size = image.segments.size() * elf::Segment::record_size(layout);
  ElfBytes data(layout), names(layout);
  names.u8(0);
  std::vector<std::uint64_t> offsets{0}, name_offsets{0};
  for (const ElfSection& section : image.sections) {
    data.align(8);
    offsets.push_back(segments_at + segments_size + data.size());
    name_offsets.push_back(names.size());
    data.bytes(section.data);
    names.c_string(section.name);
  }
  const std::uint64_t names_name = names.size(), names_at = segments_at + segments_size + data.size();
  names.c_string(".shstrtab");
  data.bytes(names.finish()).align(8);
  const std::uint64_t sections_at = segments_at + segments_size + data.size();
  const std::uint64_t count = image.sections.size() + 2;
  const bool big_numbers = image.numbers_extended;

  ElfBytes out(layout);
  out.text(
         "\x7F"
         "ELF")
      .u8(layout.is_64bit ? 2 : 1)
      .u8(layout.big_endian ? 2 : 1)
      .u8(1)
      .u64(0)
      .u8(0);
  out.u16(static_cast<std::uint16_t>(image.type)).u16(static_cast<std::uint16_t>(image.machine)).u32(1);
  out.word(0x1000).word(image.segments.empty() ? 0 : segments_at).word(sections_at).u32(0);
  out.u16(segments_at).u16(elf::Segment::record_size(layout));
  out.u16(big_numbers ? elf::kSegmentsExtended : image.segments.size()).u16(elf::Section::record_size(layout));
  out.u16(big_numbers ? 0 : count).u16(big_numbers ? elf::kIndexExtended : count - 1);
  for (const ElfSegment& s : image.segments)
    detail::put_segment(out, image, s, offsets.at(s.section),
                        s.section == 0 ? 0 : image.sections.at(s.section - 1).data.size());
  out.bytes(data.finish());
  ElfSection null{.name = "", .alignment = 0};
  if (big_numbers) null.link = static_cast<std::uint32_t>(count - 1);
  if (big_numbers) null.info = static_cast<std::uint32_t>(image.segments.size());
  detail::put_section(out, 0, elf::SectionType::null, null, 0, big_numbers ? count : 0);
  for (std::size_t i = 0; i < image.sections.size(); ++i) {
    const ElfSection& s = image.sections[i];
    const bool nobits = s.type == elf::SectionType::nobits;
    detail::put_section(out, name_offsets[i + 1], s.type, s, offsets[i + 1], nobits ? s.nobits_size : s.data.size());
  }
  detail::put_section(out, names_name, elf::SectionType::strtab, {.name = ""}, names_at, names.size());
  return out.finish();
}

struct ElfSymbol {
  std::string name;
  std::uint64_t value = 0, size = 0;
  std::uint16_t section = 1;
  elf::SymbolType type = elf::SymbolType::func;
  elf::SymbolBinding binding = elf::SymbolBinding::global;
};

/// The records and the strings of a symbol table; the null symbol comes first.
struct ElfSymbolTable {
  std::vector<std::byte> records, strings;
};
inline ElfSymbolTable symbol_table(elf::Layout layout, const std::vector<ElfSymbol>& symbols) {
  ElfBytes records(layout), strings(layout);
  strings.u8(0);
  records.bytes(std::vector<std::byte>(elf::Symbol::record_size(layout)));
  for (const ElfSymbol& s : symbols) {
    const auto info = static_cast<std::uint8_t>(static_cast<int>(s.binding) << 4 | static_cast<int>(s.type));
    records.u32(s.name.empty() ? 0 : strings.size());
    if (layout.is_64bit) records.u8(info).u8(0).u16(s.section).u64(s.value).u64(s.size);
    else records.u32(s.value).u32(s.size).u8(info).u8(0).u16(s.section);
    if (!s.name.empty()) strings.c_string(s.name);
  }
  return {records.finish(), strings.finish()};
}

inline std::vector<std::byte> elf_note(elf::Layout layout, std::string_view owner, std::uint32_t type, Bytes data,
                                       std::size_t alignment = 4) {
  ElfBytes out(layout);
  out.u32(owner.size() + 1).u32(data.size()).u32(type).c_string(owner).align(alignment).bytes(data);
  return out.align(alignment).finish();
}

inline std::vector<std::byte> elf_relocation(elf::Layout layout, std::uint64_t offset, std::uint64_t symbol,
                                             std::uint64_t type, std::int64_t addend) {
  ElfBytes out(layout);
  out.word(offset).word(layout.is_64bit ? symbol << 32 | type : symbol << 8 | type);
  return out.word(static_cast<std::uint64_t>(addend)).finish();
}

inline constexpr elf::Layout kElfLayouts[] = {{true, false}, {true, true}, {false, false}, {false, true}};
inline constexpr std::string_view kElfBuildId =
    "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14";

/// A library with code at 0x1000, a build id, symbols of several kinds, and links to two further files.
inline ElfImage rich_elf(elf::Layout layout) {
  const std::uint64_t code = elf::kFlagAlloc | elf::kFlagExecInstr;
  const auto table =
      symbol_table(layout, {{"static_one", 0x1000, 8, 1, elf::SymbolType::func, elf::SymbolBinding::local},
                            {"label", 0x1008, 0, 1, elf::SymbolType::notype},
                            {"versioned@@V_2", 0x1010, 8, 1},
                            {"weak", 0x1018, 4, 1, elf::SymbolType::ifunc, elf::SymbolBinding::weak},
                            {"table", 0x2000, 16, 2, elf::SymbolType::object},
                            {"missing", 0, 0, 0},
                            {"absolute", 0x1234, 0, 0xFFF1},
                            {"", 0x1004, 0, 1, elf::SymbolType::section}});
  const auto dynamic = symbol_table(layout, {{"exported", 0x1010, 8, 1}});
  ElfBytes link(layout), alt(layout);
  link.c_string("lib.debug").align(4).u32(0xCAFE1234);
  alt.c_string("../common.dwz").text("0123456789abcdefghij");
  ElfImage image{.layout = layout};
  using Type = elf::SectionType;
  image.sections = {
      {.name = ".text",
       .flags = code,
       .address = 0x1000,
       .data = Section().text("0123456789abcdef0123456789abcdef").finish(),
       .alignment = 16},
      {.name = ".bss", .type = Type::nobits, .flags = elf::kFlagAlloc, .address = 0x2000, .nobits_size = 0x100000},
      {.name = ".note.ABI-tag",
       .type = Type::note,
       .data = elf_note(layout, "GNU", 1, as_bytes("0123456789abcdef")),
       .alignment = 4},
      {.name = ".note.gnu.build-id",
       .type = Type::note,
       .data = elf_note(layout, "GNU", elf::kNoteBuildId, as_bytes(kElfBuildId)),
       .alignment = 4},
      {.name = ".symtab", .type = Type::symtab, .data = table.records, .link = 6},
      {.name = ".strtab", .type = Type::strtab, .data = table.strings},
      {.name = ".dynsym", .type = Type::dynsym, .data = dynamic.records, .link = 8},
      {.name = ".dynstr", .type = Type::strtab, .data = dynamic.strings},
      {.name = ".gnu_debuglink", .data = link.finish()},
      {.name = ".gnu_debugaltlink", .data = alt.finish()},
  };
  image.segments = {{.flags = 4, .address = 0x400000, .memory_size = 0x1000},
                    {.flags = 5, .address = 0x401000, .memory_size = 0x20, .section = 1},
                    {.type = elf::kSegmentNote, .section = 4, .alignment = 4}};
  return image;
}

}  // namespace symcached::testkit
