#pragma once
/// The records of a PE image as they lie in the file, in the words of the PE/COFF specification.
/// Spec: docs/formats/pe.md. All integers are little-endian; offsets are bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/endian.hpp"

namespace symcached::pe {

inline constexpr std::uint16_t kDosMagic = 0x5A4D;       ///< "MZ"
inline constexpr std::uint32_t kPeSignature = 0x4550;    ///< "PE\0\0"
inline constexpr std::uint16_t kMagicPe32 = 0x10B;       ///< optional header of a 32-bit image
inline constexpr std::uint16_t kMagicPe32Plus = 0x20B;   ///< optional header of a 64-bit image
inline constexpr std::uint32_t kRsds = 0x53445352;       ///< "RSDS": GUID and age, PDB 7.00
inline constexpr std::uint32_t kNb10 = 0x3031424E;       ///< "NB10": time stamp and age, PDB 2.00
inline constexpr std::uint16_t kPortableMinor = 0x504D;  ///< minor version of a CodeView entry for a Portable PDB

/// Processor an image runs on, without the system mask of ready-to-run images (machine_of takes it off).
enum class Machine : std::uint16_t {
  unknown = 0,
  i386 = 0x14C,
  arm = 0x1C0,
  thumb = 0x1C2,
  armnt = 0x1C4,  ///< ARM, Thumb-2
  ia64 = 0x200,
  riscv64 = 0x5064,
  amd64 = 0x8664,
  arm64ec = 0xA641,  ///< ARM64 code with the x64 calling convention
  arm64x = 0xA64E,   ///< ARM64 and ARM64EC in one file
  arm64 = 0xAA64,
};

/// CoffHeader::characteristics
inline constexpr std::uint16_t kFileDll = 0x2000;

/// Index into the data directories.
enum class Directory : std::uint8_t {
  exports = 0,
  imports = 1,
  resources = 2,
  exceptions = 3,    ///< unwind tables
  certificates = 4,  ///< the one directory given by file offset instead of RVA
  relocations = 5,
  debug = 6,
  load_config = 10,
  clr_header = 14,  ///< present in .NET assemblies
};
inline constexpr std::uint32_t kMaxDirectories = 16;

/// DebugEntryRecord::type. Values not listed here occur and are handed on as they are.
enum class DebugType : std::uint32_t {
  unknown = 0,
  coff = 1,
  codeview = 2,
  misc = 4,
  vc_feature = 12,
  pogo = 13,
  repro = 16,                  ///< the image is deterministic: time stamps are hashes
  embedded_portable_pdb = 17,  ///< "MPDB", size, deflated Portable PDB
  pdb_checksum = 19,           ///< algorithm name, NUL, digest of the PDB
  ex_dll_characteristics = 20,
};

/// First bytes of the file; the rest of the DOS program is of no interest.
struct DosHeader {
  u16le magic;                        ///< kDosMagic
  std::array<std::byte, 58> ignored;  ///< the DOS program's own header
  u32le pe_offset;                    ///< where the PE signature stands
};
static_assert(sizeof(DosHeader) == 64 && alignof(DosHeader) == 1);
static_assert(offsetof(DosHeader, pe_offset) == 60 && std::is_trivially_copyable_v<DosHeader>);

/// Follows the PE signature.
struct CoffHeader {
  u16le machine;               ///< Machine, maybe with a system mask
  u16le section_count;         ///< SectionHeaders after the optional header
  u32le timestamp;             ///< seconds since 1970, or a hash when the build is deterministic
  u32le symbol_table_offset;   ///< file offset of the COFF symbols; 0 = none
  u32le symbol_count;          ///< of 18 bytes each; the string table follows them
  u16le optional_header_size;  ///< bytes up to the section headers
  u16le characteristics;       ///< kFileDll and others
};
static_assert(sizeof(CoffHeader) == 20 && alignof(CoffHeader) == 1);
static_assert(offsetof(CoffHeader, optional_header_size) == 16 && std::is_trivially_copyable_v<CoffHeader>);

/// Optional header of a PE32 image, up to the data directories.
struct OptionalHeader32 {
  u16le magic;  ///< kMagicPe32
  u8le linker_major;
  u8le linker_minor;
  u32le code_size;
  u32le initialized_data_size;
  u32le uninitialized_data_size;
  u32le entry_point;  ///< RVA; 0 = none
  u32le code_base;
  u32le data_base;
  u32le image_base;         ///< address the image would like to be loaded at
  u32le section_alignment;  ///< bytes, in memory
  u32le file_alignment;     ///< bytes, in the file
  std::array<u16le, 6> versions;
  u32le reserved;
  u32le image_size;    ///< bytes the loaded image takes; second half of the code_id
  u32le headers_size;  ///< bytes from the file's start that are mapped at RVA 0
  u32le checksum;
  u16le subsystem;
  u16le dll_characteristics;
  std::array<u32le, 4> stack_and_heap;
  u32le loader_flags;
  u32le directory_count;  ///< DataDirectories that follow
};
static_assert(sizeof(OptionalHeader32) == 96 && alignof(OptionalHeader32) == 1);
static_assert(offsetof(OptionalHeader32, image_base) == 28 && offsetof(OptionalHeader32, image_size) == 56);
static_assert(offsetof(OptionalHeader32, directory_count) == 92 && std::is_trivially_copyable_v<OptionalHeader32>);

/// Optional header of a PE32+ image, up to the data directories.
struct OptionalHeader64 {
  u16le magic;  ///< kMagicPe32Plus
  u8le linker_major;
  u8le linker_minor;
  u32le code_size;
  u32le initialized_data_size;
  u32le uninitialized_data_size;
  u32le entry_point;  ///< RVA; 0 = none
  u32le code_base;
  u64le image_base;         ///< address the image would like to be loaded at
  u32le section_alignment;  ///< bytes, in memory
  u32le file_alignment;     ///< bytes, in the file
  std::array<u16le, 6> versions;
  u32le reserved;
  u32le image_size;    ///< bytes the loaded image takes; second half of the code_id
  u32le headers_size;  ///< bytes from the file's start that are mapped at RVA 0
  u32le checksum;
  u16le subsystem;
  u16le dll_characteristics;
  std::array<u64le, 4> stack_and_heap;
  u32le loader_flags;
  u32le directory_count;  ///< DataDirectories that follow
};
static_assert(sizeof(OptionalHeader64) == 112 && alignof(OptionalHeader64) == 1);
static_assert(offsetof(OptionalHeader64, image_base) == 24 && offsetof(OptionalHeader64, image_size) == 56);
static_assert(offsetof(OptionalHeader64, directory_count) == 108 && std::is_trivially_copyable_v<OptionalHeader64>);

/// Where one table of the image lies once it is loaded.
struct DataDirectory {
  u32le rva;   ///< for certificates: a file offset
  u32le size;  ///< bytes; 0 = absent
};
static_assert(sizeof(DataDirectory) == 8 && alignof(DataDirectory) == 1);
static_assert(offsetof(DataDirectory, size) == 4 && std::is_trivially_copyable_v<DataDirectory>);

/// A range of the image and the part of the file it is filled from.
struct SectionHeader {
  std::array<char, 8> name;  ///< NUL-padded; "/123" = offset into the string table, see Image::section_name
  u32le virtual_size;        ///< bytes in memory; 0 = same as raw_size
  u32le rva;
  u32le raw_size;    ///< bytes in the file, may be less or (padding) more than virtual_size
  u32le raw_offset;  ///< file offset
  u32le relocations_offset;
  u32le line_numbers_offset;
  u16le relocation_count;
  u16le line_number_count;
  u32le characteristics;
};
static_assert(sizeof(SectionHeader) == 40 && alignof(SectionHeader) == 1);
static_assert(offsetof(SectionHeader, raw_offset) == 20 && std::is_trivially_copyable_v<SectionHeader>);

/// SectionHeader::characteristics
inline constexpr std::uint32_t kSectionCode = 0x20;
inline constexpr std::uint32_t kSectionUninitialized = 0x80;
inline constexpr std::uint32_t kSectionManyRelocations = 0x01000000;  ///< the first relocation holds their number
inline constexpr std::uint32_t kSectionExecute = 0x20000000;
inline bool is_code(const SectionHeader& section) {
  return (section.characteristics & (kSectionCode | kSectionExecute)) != 0;
}

/// One entry of the debug directory.
struct DebugEntryRecord {
  u32le characteristics;  ///< reserved, 0
  u32le timestamp;        ///< CodeView for a Portable PDB: the last 4 of the PDB's 20 id bytes
  u16le major_version;
  u16le minor_version;  ///< kPortableMinor in a CodeView entry: the PDB is a Portable PDB
  u32le type;           ///< DebugType
  u32le data_size;      ///< bytes
  u32le data_rva;       ///< 0 = not mapped
  u32le data_offset;    ///< file offset; 0 = only data_rva is known
};
static_assert(sizeof(DebugEntryRecord) == 28 && alignof(DebugEntryRecord) == 1);
static_assert(offsetof(DebugEntryRecord, data_offset) == 24 && std::is_trivially_copyable_v<DebugEntryRecord>);

/// CodeView data that names a PDB by GUID; the path follows, NUL-terminated.
struct RsdsRecord {
  u32le signature;                    ///< kRsds
  std::array<std::uint8_t, 16> guid;  ///< first three fields little-endian
  u32le age;                          ///< always 1 for a Portable PDB
};
static_assert(sizeof(RsdsRecord) == 24 && alignof(RsdsRecord) == 1);
static_assert(offsetof(RsdsRecord, age) == 20 && std::is_trivially_copyable_v<RsdsRecord>);

/// CodeView data that names a PDB 2.00 by time stamp; the path follows, NUL-terminated.
struct Nb10Record {
  u32le signature;  ///< kNb10
  u32le offset;     ///< 0: the symbols are in the PDB
  u32le timestamp;  ///< seconds since 1970, the PDB's signature
  u32le age;
};
static_assert(sizeof(Nb10Record) == 16 && alignof(Nb10Record) == 1);
static_assert(offsetof(Nb10Record, age) == 12 && std::is_trivially_copyable_v<Nb10Record>);

}  // namespace symcached::pe
