#pragma once
/// A small Mach-O file assembled from a description: load commands, sections, symbols, function starts, stubs.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "formats/macho/records.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

struct MachoRelocation {
  std::uint32_t offset = 0, symbol = 0;
  std::uint8_t length = 3;  ///< bytes as a power of two
  bool external = false;
  std::uint8_t type = 0;
};

struct MachoSection {
  std::string_view segment, name;
  std::uint64_t address = 0;
  std::vector<std::byte> data = {};
  std::uint32_t flags = 0;
  std::uint64_t size = 0;  ///< in memory; 0 = that of the data
  std::uint32_t reserved1 = 0, reserved2 = 0;
  std::vector<MachoRelocation> relocations = {};
};

struct MachoSymbol {
  std::string_view name;
  std::uint8_t type = macho::kDefinedInSection;
  std::uint8_t section = 1;
  std::uint16_t description = 0;
  std::uint64_t value = 0;
};

struct MachoImage {
  bool is_64bit = true;
  bool big_endian = false;
  macho::Cpu cpu = macho::Cpu::x86_64;
  std::uint32_t cpu_subtype = 3;
  macho::FileType type = macho::FileType::execute;
  std::uint64_t text_address = 0x100000000;
  std::optional<std::uint8_t> uuid = 1;  ///< the first of 16 rising bytes
  std::vector<MachoSection> sections = {};
  std::vector<MachoSymbol> symbols = {};
  std::vector<std::uint32_t> indirect = {};
  std::vector<std::uint64_t> function_starts = {};  ///< rising, from text_address on
  std::string_view library_name = {};
  bool encrypted = false;
};

inline constexpr std::uint32_t kMachoCode = macho::kPureInstructions | macho::kSomeInstructions;

namespace detail {

/// Writes one image.
class MachoAssembler {
 public:
  explicit MachoAssembler(const MachoImage& image) : image_(image) {}

  std::vector<std::byte> assemble() {
    for (int pass = 0; pass < 2; ++pass) {  // the second knows where things lie
      out_ = Section();
      command_count_ = 0;
      put_header();
      const std::size_t commands = out_.size();
      put_commands();
      commands_size_ = out_.size() - commands;
      put_contents();
    }
    return out_.finish();
  }

 private:
  void u16(std::uint16_t v) { image_.big_endian ? out_.u16_big(v) : out_.u16(v); }
  void u32(std::uint64_t v) {
    image_.big_endian ? out_.u32_big(static_cast<std::uint32_t>(v)) : out_.u32(static_cast<std::uint32_t>(v));
  }
  void u64(std::uint64_t v) { image_.big_endian ? out_.u64_big(v) : out_.u64(v); }
  void word(std::uint64_t v) { image_.is_64bit ? u64(v) : u32(v); }
  std::size_t word_size() const { return image_.is_64bit ? 8 : 4; }

  void put_header() {
    u32(image_.is_64bit ? macho::kMagic64 : macho::kMagic32);
    u32(static_cast<std::uint32_t>(image_.cpu));
    u32(image_.cpu_subtype);
    u32(static_cast<std::uint32_t>(image_.type));
    u32(known_command_count_);
    u32(commands_size_);
    u32(0x85);
    if (image_.is_64bit) u32(0);
  }
  void command(macho::Command which, std::size_t body) {
    ++command_count_;
    u32(static_cast<std::uint32_t>(which));
    u32(8 + body);
  }
  void put_commands() {
    put_segments();
    if (image_.uuid) {
      command(macho::Command::uuid, 16);
      for (std::uint8_t i = 0; i < 16; ++i) out_.u8(static_cast<std::uint8_t>(*image_.uuid + i));
    }
    command(macho::Command::symtab, 16);
    u32(symbols_), u32(image_.symbols.size()), u32(strings_), u32(strings_size_);
    command(macho::Command::dysymtab, 72);
    out_.zeros(48), u32(indirect_), u32(image_.indirect.size()), out_.zeros(16);
    if (!image_.function_starts.empty()) {
      command(macho::Command::function_starts, 8);
      u32(starts_), u32(starts_size_);
    }
    if (!image_.library_name.empty()) {
      const std::size_t text = (image_.library_name.size() + 8) / 8 * 8;
      command(macho::Command::id_dylib, 16 + text);
      u32(24), u32(2), u32(0x10000), u32(0x10000), out_.text_in(image_.library_name, text);
    }
    command(macho::Command::build_version, 16);
    u32(1), u32(0xD0000), u32(0xD0000), u32(0);
    if (image_.encrypted) {
      command(macho::Command::encryption_info_64, 16);
      u32(0x4000), u32(0x4000), u32(1), u32(0);
    }
    known_command_count_ = command_count_;
  }
  /// One segment for each run of sections that name it; object files have a single one without a name.
  void put_segments() {
    const bool object = image_.type == macho::FileType::object;
    for (std::size_t first = 0; first < image_.sections.size();) {
      const std::string_view name = image_.sections[first].segment;
      std::size_t end = first + 1;
      while (end < image_.sections.size() && (object || image_.sections[end].segment == name)) ++end;
      const std::size_t record = 16 + 4 * word_size() + 16;
      const std::size_t section = 32 + 2 * word_size() + (image_.is_64bit ? 32 : 28);
      command(image_.is_64bit ? macho::Command::segment_64 : macho::Command::segment_32,
              record + (end - first) * section);
      out_.text_in(object ? "" : name, 16);
      word(name == "__TEXT" ? image_.text_address : image_.sections[first].address), word(0x4000);
      bool filled = false;
      for (std::size_t i = first; i < end; ++i) filled = filled || !image_.sections[i].data.empty();
      word(0), word(filled ? 0x4000 : 0), u32(7), u32(5), u32(end - first), u32(0);
      for (; first < end; ++first) put_section(image_.sections[first], first);
    }
  }
  void put_section(const MachoSection& section, std::size_t index) {
    out_.text_in(section.name, 16).text_in(section.segment, 16);
    word(section.address), word(section.size != 0 ? section.size : section.data.size());
    u32(section.data.empty() ? 0 : data_[index]), u32(0);
    u32(section.relocations.empty() ? 0 : relocations_[index]), u32(section.relocations.size());
    u32(section.flags), u32(section.reserved1), u32(section.reserved2);
    if (image_.is_64bit) u32(0);
  }
  void put_relocation(const MachoRelocation& r) {
    const std::uint32_t external = r.external ? 1 : 0;
    u32(r.offset);
    if (image_.big_endian) u32(r.symbol << 8 | std::uint32_t{r.length} << 5 | external << 4 | r.type);
    else u32(r.symbol | std::uint32_t{r.length} << 25 | external << 27 | std::uint32_t{r.type} << 28);
  }
  void put_contents() {
    for (std::size_t i = 0; i < image_.sections.size(); ++i) {
      data_[i] = out_.size();
      out_.bytes(image_.sections[i].data).align(8);
      relocations_[i] = out_.size();
      for (const MachoRelocation& relocation : image_.sections[i].relocations) put_relocation(relocation);
    }
    Section strings;
    strings.u8(0);
    symbols_ = out_.size();
    for (const MachoSymbol& symbol : image_.symbols) {
      u32(symbol.name.empty() ? 0 : strings.size());
      if (!symbol.name.empty()) strings.c_string(symbol.name);
      out_.u8(symbol.type).u8(symbol.section);
      u16(symbol.description), word(symbol.value);
    }
    indirect_ = out_.size();
    for (const std::uint32_t index : image_.indirect) u32(index);
    starts_ = out_.size();
    ByteWriter starts;
    std::uint64_t before = image_.text_address;
    for (const std::uint64_t start : image_.function_starts) starts.put_uleb(start - std::exchange(before, start));
    starts.put_u8(0);
    out_.bytes(starts.bytes());
    starts_size_ = starts.size();
    strings_ = out_.size();
    strings_size_ = strings.size();
    out_.bytes(strings.finish());
  }

  const MachoImage& image_;
  Section out_;
  std::map<std::size_t, std::size_t> data_{}, relocations_{};  ///< by section
  std::size_t symbols_ = 0, strings_ = 0, strings_size_ = 0, indirect_ = 0, starts_ = 0, starts_size_ = 0;
  std::size_t command_count_ = 0, known_command_count_ = 0, commands_size_ = 0;
};

}  // namespace detail

inline std::vector<std::byte> assemble(const MachoImage& image) { return detail::MachoAssembler(image).assemble(); }

struct MachoSlice {
  macho::Cpu cpu = macho::Cpu::x86_64;
  std::uint32_t cpu_subtype = 3;
  std::vector<std::byte> file = {};
};

/// A universal file; slices are aligned to 16 bytes.
inline std::vector<std::byte> assemble_fat(const std::vector<MachoSlice>& slices, bool is_64bit = false) {
  Section out;
  out.u32_big(is_64bit ? macho::kFatMagic64 : macho::kFatMagic32).u32_big(static_cast<std::uint32_t>(slices.size()));
  std::size_t at = (8 + slices.size() * (is_64bit ? 32 : 20) + 15) / 16 * 16;
  for (const MachoSlice& slice : slices) {
    out.u32_big(static_cast<std::uint32_t>(slice.cpu)).u32_big(slice.cpu_subtype);
    if (is_64bit) out.u64_big(at).u64_big(slice.file.size()).u32_big(4).u32_big(0);
    else out.u32_big(static_cast<std::uint32_t>(at)).u32_big(static_cast<std::uint32_t>(slice.file.size())).u32_big(4);
    at = (at + slice.file.size() + 15) / 16 * 16;
  }
  for (const MachoSlice& slice : slices) out.align(16).bytes(slice.file);
  return out.finish();
}

/// A program of one of everything: three functions of which one is nameless, a stub, data, stabs of one object.
inline MachoImage rich_macho(bool is_64bit, bool big_endian) {
  using macho::Stab;
  MachoImage image;
  image.is_64bit = is_64bit;
  image.big_endian = big_endian;
  image.cpu =
      big_endian ? (is_64bit ? macho::Cpu::ppc64 : macho::Cpu::ppc) : (is_64bit ? macho::Cpu::x86_64 : macho::Cpu::x86);
  const std::uint64_t base = image.text_address = is_64bit ? 0x100000000 : 0x1000;
  const auto stab = [](Stab type) { return static_cast<std::uint8_t>(type); };
  const auto bytes = [](std::size_t n) { return Section().zeros(n).finish(); };
  image.sections = {
      {.segment = "__TEXT", .name = "__text", .address = base + 0x400, .data = bytes(0x60), .flags = kMachoCode},
      {.segment = "__TEXT",
       .name = "__stubs",
       .address = base + 0x460,
       .data = bytes(12),
       .flags = kMachoCode | macho::kSymbolStubs,
       .reserved1 = 1,
       .reserved2 = 6},
      {.segment = "__DATA", .name = "__data", .address = base + 0x4000, .data = bytes(8)},
      {.segment = "__DATA", .name = "__bss", .address = base + 0x4008, .flags = macho::kZeroFill, .size = 64},
  };
  image.symbols = {
      {.name = "/src/", .type = stab(Stab::source), .section = 0},
      {.name = "a.c", .type = stab(Stab::source), .section = 0},
      {.name = "/out/lib.a(a.o)", .type = stab(Stab::object), .section = 0, .description = 1, .value = 0x5AB380CF},
      {.name = "", .type = stab(Stab::begin_function), .value = base + 0x400},
      {.name = "_main", .type = stab(Stab::function), .value = base + 0x400},
      {.name = "a.h", .type = stab(Stab::included_source), .section = 0},
      {.name = "", .type = stab(Stab::function), .section = 0, .value = 0x18},
      {.name = "", .type = stab(Stab::end_function), .section = 0, .value = 0x18},
      {.name = "", .type = stab(Stab::source), .value = 0},
      {.name = "_main", .type = macho::kDefinedInSection | macho::kExternal, .value = base + 0x400},
      {.name = "__ZL4leafv", .value = base + 0x420},
      {.name = "_table", .section = 3, .value = base + 0x4000},
      {.name = "_puts", .type = macho::kExternal, .section = 0},
  };
  image.indirect = {macho::kIndirectLocal, 12, macho::kIndirectAbsolute, 11};
  image.function_starts = {base + 0x400, base + 0x420, base + 0x440};
  return image;
}

}  // namespace symcached::testkit
