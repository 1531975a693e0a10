#pragma once
/// The records of COFF symbol tables and object files. Spec: docs/formats/pe.md, "COFF symbols" and "Object files".
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/endian.hpp"

namespace symcached::pe {

/// One symbol, or an auxiliary record of the symbol before it.
struct SymbolRecord {
  std::array<char, 8> name;  ///< NUL-padded; or four zeros and the offset in the string table
  u32le value;               ///< offset in the section
  u16le section;             ///< 1-based; 0 = undefined, 0xFFFF = absolute, 0xFFFE = for debuggers
  u16le type;                ///< kTypeFunction in bits 4 and 5: a function
  u8le storage_class;        ///< StorageClass
  u8le aux_count;            ///< records that follow and belong to this one
};
static_assert(sizeof(SymbolRecord) == 18 && alignof(SymbolRecord) == 1);
static_assert(offsetof(SymbolRecord, section) == 12 && std::is_trivially_copyable_v<SymbolRecord>);

/// The same in a /bigobj object file, where the section has four bytes.
struct BigSymbolRecord {
  std::array<char, 8> name;
  u32le value;
  i32le section;
  u16le type;
  u8le storage_class;
  u8le aux_count;
};
static_assert(sizeof(BigSymbolRecord) == 20 && alignof(BigSymbolRecord) == 1);
static_assert(offsetof(BigSymbolRecord, type) == 16 && std::is_trivially_copyable_v<BigSymbolRecord>);

/// Auxiliary record of a function; most producers leave it zero.
struct FunctionAux {
  u32le tag;
  u32le size;  ///< bytes of code; 0 = not stated
  u32le line_numbers_offset;
  u32le next_function;
  u16le unused;
};
static_assert(sizeof(FunctionAux) == 18 && alignof(FunctionAux) == 1);

enum class StorageClass : std::uint8_t { external = 2, static_symbol = 3, label = 6, file = 103, weak_external = 105 };
inline constexpr std::uint16_t kTypeFunction = 2;  ///< in bits 4 and 5 of the type
inline constexpr std::int32_t kSectionUndefined = 0;
inline constexpr std::int32_t kSectionAbsolute = -1;
inline constexpr std::uint16_t kFirstReservedSection = 0xFF00;  ///< in 16 bits; from here on numbers are negative

/// First bytes of an object file with more than 65279 sections.
struct BigObjectHeader {
  u16le signature1;  ///< 0
  u16le signature2;  ///< 0xFFFF
  u16le version;     ///< 2 or more
  u16le machine;
  u32le timestamp;
  std::array<std::uint8_t, 16> class_id;  ///< kBigObjectClass
  u32le data_size, flags, metadata_size, metadata_offset;
  u32le section_count;
  u32le symbol_table_offset;
  u32le symbol_count;
};
static_assert(sizeof(BigObjectHeader) == 56 && alignof(BigObjectHeader) == 1);
static_assert(offsetof(BigObjectHeader, section_count) == 44 && std::is_trivially_copyable_v<BigObjectHeader>);

/// {D1BAA1C7-BAEE-4BA9-AF20-FAF66AA4DCB8}
inline constexpr std::array<std::uint8_t, 16> kBigObjectClass = {0xC7, 0xA1, 0xBA, 0xD1, 0xEE, 0xBA, 0xA9, 0x4B,
                                                                 0xAF, 0x20, 0xFA, 0xF6, 0x6A, 0xA4, 0xDC, 0xB8};

struct RelocationRecord {
  u32le place;   ///< where in the section, counted from the section's RVA
  u32le symbol;  ///< index in the symbol table, auxiliary records counted
  u16le type;    ///< meaning depends on the machine
};
static_assert(sizeof(RelocationRecord) == 10 && alignof(RelocationRecord) == 1);
static_assert(offsetof(RelocationRecord, type) == 8 && std::is_trivially_copyable_v<RelocationRecord>);

}  // namespace symcached::pe
