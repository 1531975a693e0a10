#pragma once
/// The symcache file, version 3. Spec: docs/formats/symcache.md, which explains every field and operation.
/// Little-endian, no alignment needed, deterministic, mapped and read in place.
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/endian.hpp"

namespace symcached::symcache {

inline constexpr std::array<char, 8> kMagic{'s', 'y', 'm', 'c', 'a', 'c', 'h', 'e'};

/// Raised whenever an older reader could misread the file. Whoever raises it raises the cache version in
/// service/cache_versions.hpp too.
///   1  texts in pieces that a table numbers
///   2  texts in runs of one shared text
///   3  parameters of functions
inline constexpr std::uint32_t kFormatVersion = 3;

/// Version of the open format in the SymCache protocol. Its major number stays below those of Microsoft's format, from
/// 3 on, so that versions tell the two apart: format version 2 is 2.0.0, each further one raises the minor number.
inline constexpr std::array<std::uint32_t, 3> kProtocolVersion{2, kFormatVersion - 2, 0};

struct Section {
  u64le offset;  ///< from the start of the file
  u64le size;    ///< bytes
};

enum HeaderFlags : std::uint8_t {
  kHasColumns = 1,     ///< every row carries a column
  kWideAddresses = 2,  ///< starts are u64 instead of u32
  kWideRuns = 4,       ///< runs of text take 5 bytes instead of 4
  kHasParameters = 8,  ///< every subprogram has parameters
};

struct Header {
  std::array<char, 8> magic;
  u32le version;
  u8le flags;
  u8le arch;         ///< model::Arch
  u8le offset_unit;  ///< all offsets in rows are multiples of this many bytes: 1, 2 or 4
  u8le reserved;
  u64le header_checksum;   ///< XXH3-64 of the header with this field zero
  u64le payload_checksum;  ///< XXH3-64 of everything after the header
  std::array<std::uint8_t, 16> guid;
  u32le age;
  u32le function_count;
  u64le base;       ///< added to every start
  Section samples;  ///< every kStartsPerSample-th start
  Section starts;   ///< address of each function, rising, less `base`
  Section records;  ///< u32 per function: position of its record in `functions`
  Section functions;
  Section subprograms;
  Section names;
  Section files;   ///< u32 per file: position of its path in `names`
  Section text;    ///< what all texts are made of; ends with kTextPadding zero bytes
  Section module;  ///< two zero-terminated texts: kind of the original, its file name; then sections of code
};
static_assert(sizeof(Header) == 208 && alignof(Header) == 1);
static_assert(offsetof(Header, samples) == 64);

inline constexpr std::size_t kStartsPerSample = 16;
inline constexpr std::size_t kMaxTextSize = 1u << 20;  ///< bytes of one name or path; the writer cuts longer ones
inline constexpr std::size_t kTextPadding = 32;        ///< runs are copied 32 bytes at a time
inline constexpr std::uint32_t kLongestRunOfText = 255;
inline constexpr std::size_t kNarrowText = 1u << 24;  ///< bytes of `text` that runs of 4 bytes can reach

/// A run of text: its position in `text` and, in the low 8 bits, its length in bytes.
struct TextRun {
  u32le bits;
};
static_assert(sizeof(TextRun) == 4);
/// The same where kWideRuns is set.
struct WideTextRun {
  u8le length;  ///< bytes
  u32le at;     ///< position in `text`
};
static_assert(sizeof(WideTextRun) == 5);

inline std::size_t length_of(const TextRun& run) { return run.bits & 0xFF; }
inline std::size_t place_of(const TextRun& run) { return run.bits >> 8; }
inline std::size_t length_of(const WideTextRun& run) { return run.length; }
inline std::size_t place_of(const WideTextRun& run) { return run.at; }

/// First byte of a function record.
enum RecordFlags : std::uint8_t {
  kKindMask = 0x03,  ///< model::SymbolKind
  kHasLinkageName = 0x04,
  kHasAliases = 0x08,
  kHasParent = 0x10,
  kIsEnclosed = 0x20,  ///< starts inside another function that goes on behind it
  kHasRestarts = 0x40,
  kHasLanguage = 0x80,
};

/// Rows of a function: a program for a state of offset, frame, file, line, column. See docs, section 5.
inline constexpr std::uint8_t kShortRows = 128;     ///< first bytes below: a short row
inline constexpr std::uint32_t kShortOffsets = 8;   ///< low 3 bits: offset step less 1
inline constexpr std::uint32_t kShortLineBias = 4;  ///< other bits: line step plus this
enum RowOp : std::uint8_t {
  kNewFrame = 0,  ///< defines an inlined call and enters it
  kUp = 1,        ///< back to the caller of the current frame
  kJump = 2,      ///< to a frame defined before
  kOther = 3,
};
enum OtherOp : std::uint8_t {
  kLongRow = 0,
  kDefineFrame = 1,  ///< defines an inlined call without entering it
  kSetFile = 2,
};
enum FileOperand : std::uint32_t { kOwnFile = 0, kNoFile = 1, kFirstFile = 2 };

struct Restart {   ///< where decoding may begin inside a long function; the row there is a kJump with absolute values
  u32le offset;    ///< in units, from the function's start
  u32le position;  ///< bytes from the first row
};
static_assert(sizeof(Restart) == 8);
inline constexpr std::size_t kRowsPerRestart = 8;
inline constexpr std::size_t kLongestRun = kRowsPerRestart + kRowsPerRestart / 2;  ///< rows without a restart

}  // namespace symcached::symcache
