#pragma once
/// The records of Mach-O as they lie in the file, in the words of Apple's <mach-o/loader.h>, <nlist.h>, <fat.h>.
/// Spec: docs/formats/macho.md. Byte order and word size differ from file to file: `O` is the order, `W` the word.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/endian.hpp"

namespace symcached::macho {

inline constexpr std::uint32_t kMagic32 = 0xFEEDFACE;
inline constexpr std::uint32_t kMagic64 = 0xFEEDFACF;
inline constexpr std::uint32_t kFatMagic32 = 0xCAFEBABE;  ///< always big-endian, as are all records behind it
inline constexpr std::uint32_t kFatMagic64 = 0xCAFEBABF;

/// mach_header.cputype. Bit 24: 64-bit words; bit 25: 64-bit registers and 32-bit words.
enum class Cpu : std::uint32_t {
  x86 = 7,
  arm = 12,
  ppc = 18,
  x86_64 = 0x01000007,
  arm64 = 0x0100000C,
  ppc64 = 0x01000012,
  arm64_32 = 0x0200000C,
};
/// Bits of cpusubtype that are no subtype: for arm64e the version of the pointer-authentication ABI.
inline constexpr std::uint32_t kSubtypeFlags = 0xFF000000;
inline constexpr std::uint32_t kSubtypeArm64e = 2;
inline constexpr std::uint32_t kSubtypeX86_64h = 8;  ///< Haswell and newer

/// mach_header.filetype. Values not listed here occur and are handed on as they are.
enum class FileType : std::uint32_t {
  object = 1,
  execute = 2,
  core = 4,
  dylib = 6,
  dylinker = 7,
  bundle = 8,
  dsym = 10
};

/// load_command.cmd, those that are read.
enum class Command : std::uint32_t {
  segment_32 = 0x1,
  symtab = 0x2,
  dysymtab = 0xB,
  id_dylib = 0xD,
  segment_64 = 0x19,
  uuid = 0x1B,
  encryption_info_32 = 0x21,
  dyld_info = 0x22,
  version_min_macos = 0x24,
  version_min_ios = 0x25,
  function_starts = 0x26,
  encryption_info_64 = 0x2C,
  version_min_tvos = 0x2F,
  version_min_watchos = 0x30,
  build_version = 0x32,
  dyld_info_only = 0x80000022,
  dyld_exports_trie = 0x80000033,
};

/// section.flags
inline constexpr std::uint32_t kSectionType = 0xFF;
inline constexpr std::uint32_t kZeroFill = 0x1;
inline constexpr std::uint32_t kSymbolStubs = 0x8;  ///< reserved1: first indirect symbol; reserved2: bytes of a stub
inline constexpr std::uint32_t kZeroFillLarge = 0xC;
inline constexpr std::uint32_t kThreadZeroFill = 0x12;
inline constexpr std::uint32_t kPureInstructions = 0x80000000;
inline constexpr std::uint32_t kSomeInstructions = 0x400;

/// nlist.n_type
inline constexpr std::uint8_t kStabBits = 0xE0;  ///< any of them: the whole byte is a Stab
inline constexpr std::uint8_t kPrivateExtern = 0x10;
inline constexpr std::uint8_t kTypeBits = 0x0E;
inline constexpr std::uint8_t kDefinedInSection = 0x0E;
inline constexpr std::uint8_t kExternal = 0x01;
/// nlist.n_desc
inline constexpr std::uint16_t kWeakDefinition = 0x80;

/// nlist.n_type of the debugging entries that linkers write.
enum class Stab : std::uint8_t {
  global = 0x20,
  function = 0x24,  ///< twice: name and address; then no name and, as value, the size
  static_data = 0x26,
  begin_function = 0x2E,   ///< N_BNSYM
  end_function = 0x4E,     ///< N_ENSYM
  source = 0x64,           ///< N_SO: folder, then file; no name ends the compilation
  object = 0x66,           ///< N_OSO: the object file; value: when it was last modified
  included_source = 0x84,  ///< N_SOL: the file that what follows comes from
};

/// Values of an indirect symbol that name no symbol.
inline constexpr std::uint32_t kIndirectLocal = 0x80000000;
inline constexpr std::uint32_t kIndirectAbsolute = 0x40000000;

template <std::endian O>
using U32 = Packed<std::uint32_t, O>;
template <std::endian O>
using U16 = Packed<std::uint16_t, O>;
template <std::endian O, class W>
using Word = Packed<W, O>;

template <std::endian O>
struct MachHeader {
  U32<O> magic;  ///< kMagic32 or kMagic64
  U32<O> cpu_type;
  U32<O> cpu_subtype;
  U32<O> file_type;
  U32<O> command_count;
  U32<O> commands_size;  ///< bytes of all load commands
  U32<O> flags;          ///< a 64-bit file has 4 reserved bytes behind them
};
static_assert(sizeof(MachHeader<std::endian::big>) == 28 && alignof(MachHeader<std::endian::big>) == 1);

template <std::endian O>
struct LoadCommand {
  U32<O> command;
  U32<O> size;  ///< bytes, these 8 included
};
static_assert(sizeof(LoadCommand<std::endian::big>) == 8 && alignof(LoadCommand<std::endian::big>) == 1);

/// Behind a LoadCommand; section records follow.
template <std::endian O, class W>
struct SegmentRecord {
  std::array<char, 16> name;
  Word<O, W> address;
  Word<O, W> size;  ///< bytes in memory
  Word<O, W> file_offset;
  Word<O, W> file_size;
  U32<O> max_protection;
  U32<O> initial_protection;
  U32<O> section_count;
  U32<O> flags;
};
static_assert(sizeof(SegmentRecord<std::endian::big, std::uint32_t>) == 48);
static_assert(sizeof(SegmentRecord<std::endian::big, std::uint64_t>) == 64);

template <std::endian O, class W>
struct SectionRecord {
  std::array<char, 16> name;
  std::array<char, 16> segment;
  Word<O, W> address;
  Word<O, W> size;
  U32<O> file_offset;
  U32<O> alignment;  ///< as a power of two
  U32<O> relocation_offset;
  U32<O> relocation_count;
  U32<O> flags;
  U32<O> reserved1;
  U32<O> reserved2;  ///< a 64-bit file has 4 more bytes behind it
};
static_assert(sizeof(SectionRecord<std::endian::big, std::uint32_t>) == 68);
static_assert(sizeof(SectionRecord<std::endian::big, std::uint64_t>) == 76);

template <std::endian O>
struct SymtabRecord {
  U32<O> symbol_offset;
  U32<O> symbol_count;
  U32<O> string_offset;
  U32<O> string_size;
};
static_assert(sizeof(SymtabRecord<std::endian::big>) == 16);

template <std::endian O>
struct DysymtabRecord {
  std::array<U32<O>, 12> ignored;
  U32<O> indirect_offset;
  U32<O> indirect_count;  ///< of 4 bytes each
  std::array<U32<O>, 4> ignored_too;
};
static_assert(sizeof(DysymtabRecord<std::endian::big>) == 72);

/// LC_FUNCTION_STARTS and others whose data lies at the end of the file.
template <std::endian O>
struct LinkeditRecord {
  U32<O> offset;
  U32<O> size;
};
static_assert(sizeof(LinkeditRecord<std::endian::big>) == 8);

/// LC_DYLD_INFO
template <std::endian O>
struct DyldInfoRecord {
  std::array<U32<O>, 8> ignored;  ///< what the loader changes and binds
  U32<O> exports_offset;
  U32<O> exports_size;
};
static_assert(sizeof(DyldInfoRecord<std::endian::big>) == 40);

template <std::endian O>
struct EncryptionRecord {
  U32<O> offset;
  U32<O> size;
  U32<O> system;  ///< 0 = not encrypted (any more)
};
static_assert(sizeof(EncryptionRecord<std::endian::big>) == 12);

template <std::endian O>
struct BuildVersionRecord {
  U32<O> platform;
  U32<O> minimum_system;  ///< 16 bits major, 8 minor, 8 patch
  U32<O> sdk;
  U32<O> tool_count;
};
static_assert(sizeof(BuildVersionRecord<std::endian::big>) == 16);

template <std::endian O, class W>
struct NlistRecord {
  U32<O> name;  ///< offset into the string table
  u8le type;
  u8le section;  ///< 1-based; 0 = none
  U16<O> description;
  Word<O, W> value;
};
static_assert(sizeof(NlistRecord<std::endian::big, std::uint32_t>) == 12);
static_assert(sizeof(NlistRecord<std::endian::big, std::uint64_t>) == 16);
static_assert(std::is_trivially_copyable_v<NlistRecord<std::endian::big, std::uint64_t>>);

/// r_symbolnum, then r_pcrel, r_length, r_extern, r_type, in 24, 1, 2, 1, 4 bits from the lowest on little-endian hosts
/// and from the highest on big-endian ones.
template <std::endian O>
struct RelocationRecord {
  U32<O> address;  ///< from the section's start; bit 31: a scattered entry
  U32<O> info;
};
static_assert(sizeof(RelocationRecord<std::endian::big>) == 8);

struct FatHeader {
  u32be magic;
  u32be count;
};
static_assert(sizeof(FatHeader) == 8 && alignof(FatHeader) == 1);

struct FatRecord32 {
  u32be cpu_type;
  u32be cpu_subtype;
  u32be offset;
  u32be size;
  u32be alignment;  ///< as a power of two
};
static_assert(sizeof(FatRecord32) == 20 && alignof(FatRecord32) == 1);

struct FatRecord64 {
  u32be cpu_type;
  u32be cpu_subtype;
  u64be offset;
  u64be size;
  u32be alignment;
  u32be reserved;
};
static_assert(sizeof(FatRecord64) == 32 && alignof(FatRecord64) == 1);

}  // namespace symcached::macho
