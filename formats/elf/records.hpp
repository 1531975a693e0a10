#pragma once
/// The records of an ELF file in the words of its specification, in the host's byte order and widened to 64 bits.
/// Spec: docs/formats/elf.md.
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/bytes.hpp"

namespace symcached::elf {

inline constexpr std::uint32_t kMagic = 0x7F454C46;  ///< big-endian: 0x7F "ELF"
inline constexpr std::string_view kMagicText{"\x7F\x45LF"};
inline constexpr std::size_t kIdentSize = 16;

/// How integers of a file are to be read; from e_ident.
struct Layout {
  bool is_64bit = true;
  bool big_endian = false;

  template <std::integral T>
  T load(const std::byte* at) const {
    std::make_unsigned_t<T> value;
    std::memcpy(&value, at, sizeof(value));
    if (big_endian != (std::endian::native == std::endian::big)) value = std::byteswap(value);
    return static_cast<T>(value);
  }
  template <std::integral T>
  void store(std::byte* at, T plain) const {
    auto value = static_cast<std::make_unsigned_t<T>>(plain);
    if (big_endian != (std::endian::native == std::endian::big)) value = std::byteswap(value);
    std::memcpy(at, &value, sizeof(value));
  }
  constexpr std::size_t word_size() const { return is_64bit ? 8 : 4; }
};

/// The fields of one record, front to back. The caller has checked that the record is there.
class Fields {
 public:
  Fields(const std::byte* at, Layout layout) : at_(at), layout_(layout) {}
  template <std::integral T>
  T next() {
    const T value = layout_.load<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  std::uint8_t u8() { return next<std::uint8_t>(); }
  std::uint16_t u16() { return next<std::uint16_t>(); }
  std::uint32_t u32() { return next<std::uint32_t>(); }
  /// An address, offset or size: 4 or 8 bytes.
  std::uint64_t word() { return layout_.is_64bit ? next<std::uint64_t>() : next<std::uint32_t>(); }

 private:
  const std::byte* at_;
  Layout layout_;
};

enum class FileType : std::uint16_t { none = 0, relocatable = 1, executable = 2, shared = 3, core = 4 };

/// Processors whose code we know something of; other values occur and are handed on as they are.
enum class Machine : std::uint16_t {
  none = 0,
  i386 = 3,
  mips = 8,
  ppc64 = 21,
  s390 = 22,
  arm = 40,
  x86_64 = 62,
  aarch64 = 183,
  riscv = 243,
};

enum class SectionType : std::uint32_t {
  null = 0,
  progbits = 1,
  symtab = 2,
  strtab = 3,
  rela = 4,
  note = 7,
  nobits = 8,  ///< takes no bytes of the file
  rel = 9,
  dynsym = 11,
  symtab_shndx = 18,
};

inline constexpr std::uint64_t kFlagAlloc = 0x2;
inline constexpr std::uint64_t kFlagExecInstr = 0x4;
inline constexpr std::uint64_t kFlagCompressed = 0x800;

inline constexpr std::uint16_t kIndexUndef = 0;             ///< SHN_UNDEF
inline constexpr std::uint16_t kIndexReserve = 0xFF00;      ///< SHN_LORESERVE: from here on no section
inline constexpr std::uint16_t kIndexExtended = 0xFFFF;     ///< SHN_XINDEX: the number stands elsewhere
inline constexpr std::uint16_t kSegmentsExtended = 0xFFFF;  ///< PN_XNUM

struct Header {
  FileType type = FileType::none;
  Machine machine = Machine::none;
  std::uint64_t entry = 0;
  std::uint64_t segments_offset = 0, sections_offset = 0;  ///< 0 = none
  std::uint32_t flags = 0;
  std::uint16_t segment_size = 0, segment_count = 0;  ///< of one program header; how many
  std::uint16_t section_size = 0, section_count = 0;
  std::uint16_t names_index = 0;

  static constexpr std::size_t size(Layout layout) { return layout.is_64bit ? 64 : 52; }
};

struct Section {
  std::uint32_t index = 0;
  std::string_view name;  ///< in place; at most kMaxSectionName bytes of it
  std::uint32_t name_offset = 0;
  SectionType type = SectionType::null;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;  ///< as stated; in relocatable files where code is placed, see File
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< bytes in memory, and in the file unless nobits
  std::uint32_t link = 0, info = 0;
  std::uint64_t alignment = 0, entry_size = 0;

  bool is_code() const { return (flags & kFlagAlloc) != 0 && (flags & kFlagExecInstr) != 0 && size != 0; }
  static constexpr std::size_t record_size(Layout layout) { return layout.is_64bit ? 64 : 40; }
};

inline constexpr std::uint32_t kSegmentLoad = 1;
inline constexpr std::uint32_t kSegmentNote = 4;
inline constexpr std::uint32_t kSegmentExecutable = 1;  ///< flag

struct Segment {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 0;

  static constexpr std::size_t record_size(Layout layout) { return layout.is_64bit ? 56 : 32; }
};

enum class SymbolType : std::uint8_t { notype = 0, object = 1, func = 2, section = 3, file = 4, tls = 6, ifunc = 10 };
enum class SymbolBinding : std::uint8_t { local = 0, global = 1, weak = 2, unique = 10 };

struct Symbol {
  std::string_view name;  ///< in place
  std::uint64_t value = 0, size = 0;
  std::uint32_t section = 0;  ///< kNoSection = none that exists (absolute, common)
  SymbolType type = SymbolType::notype;
  SymbolBinding binding = SymbolBinding::local;

  static constexpr std::size_t record_size(Layout layout) { return layout.is_64bit ? 24 : 16; }
};
inline constexpr std::uint32_t kNoSection = 0xFFFFFFFF;

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t symbol = 0, type = 0;
  std::int64_t addend = 0;  ///< rel: not stated here, but by the bytes that are relocated

  static constexpr std::size_t record_size(Layout layout, bool with_addend) {
    return layout.word_size() * (with_addend ? 3 : 2);
  }
};

inline constexpr std::uint32_t kNoteBuildId = 3;  ///< NT_GNU_BUILD_ID, owner "GNU"

/// What section data is compressed with: ch_type.
enum class Compression : std::uint32_t { none = 0, zlib = 1, zstd = 2 };

}  // namespace symcached::elf
