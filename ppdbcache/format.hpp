#pragma once
/// The ppdbcache file, version 1. Spec: docs/formats/ppdbcache.md, which explains every field and bit.
/// Little-endian, no alignment needed, deterministic, mapped and read in place.
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/endian.hpp"

namespace symcached::ppdbcache {

inline constexpr std::array<char, 8> kMagic{'p', 'p', 'd', 'b', 'c', 'a', 'c', 'h'};

/// Raised whenever an older reader could misread the file. Whoever raises it raises the cache version in
/// service/cache_versions.hpp too.
///   1  points in 2 or 3 bytes, methods in blocks of 64 rows
inline constexpr std::uint32_t kFormatVersion = 1;

struct Section {
  u64le offset;  ///< from the start of the file
  u64le size;    ///< bytes
};

struct Header {
  std::array<char, 8> magic;
  u32le version;
  u8le name_width;  ///< bytes of an entry of `names`: 1 to 4; 0 = no method has a name
  std::array<u8le, 3> reserved;
  u64le header_checksum;   ///< XXH3-64 of the header with this field zero
  u64le payload_checksum;  ///< XXH3-64 of everything after the header
  std::array<std::uint8_t, 16> guid;
  u32le age;
  u32le method_count;  ///< methods with points
  u32le point_count;
  u32le kickoff_count;    ///< pairs in `kickoffs`
  u32le move_next_count;  ///< pairs in `move_nexts`
  u32le reserved_count;
  u64le reserved_size;
  Section points;  ///< of each block of rows: lengths, then methods; ends with kPadding zero bytes
  Section blocks;
  Section large;  ///< methods of many points; ends with kPadding zero bytes
  Section documents;
  Section paths;
  Section kickoffs;     ///< row of a MoveNext to the row of its kick-off method
  Section move_nexts;   ///< the other way
  Section name_blocks;  ///< of each block of rows: where scopes change
  Section names;        ///< by row: position of the method's own name in `text`; ends with kPadding zero bytes
  Section scopes;       ///< position of each scope in `text`
  Section text;         ///< each: its length, then its bytes
};
static_assert(sizeof(Header) == 256 && alignof(Header) == 1);
static_assert(offsetof(Header, points) == 80);

inline constexpr std::size_t kPadding = 8;             ///< readers load 8 bytes at a time
inline constexpr std::size_t kMaxTextSize = 1u << 20;  ///< bytes of one name or path; the writer cuts longer ones
/// Bytes of one section: positions have 32 bits, and a step behind the end must not wrap.
inline constexpr std::uint64_t kMaxSection = 0xFFFF0000;

inline constexpr std::uint32_t kRowsPerBlock = 64;

/// Rows 64 * i to 64 * i + 63.
struct Block {
  u64le present;   ///< bit row % 64: the row has points
  u32le position;  ///< in `points`: a length byte for each row present, then their points
  u32le document;  ///< of methods that state none
};
static_assert(sizeof(Block) == 16);

struct DocumentRecord {
  u32le path;     ///< position in `paths`; it ends where the next one begins
  u8le language;  ///< model::Language
};
static_assert(sizeof(DocumentRecord) == 5);

struct NameBlock {
  u64le changes;      ///< bit row % 64: another scope than the row before
  u32le first_scope;  ///< changes in the blocks before
};
static_assert(sizeof(NameBlock) == 12);

/// The first 16 of kPairsPerGroup pairs, whole; the others follow as steps.
struct PairGroup {
  u32le key;
  u32le value;
  u32le position;  ///< of the steps, from behind the groups
};
static_assert(sizeof(PairGroup) == 12);
inline constexpr std::size_t kPairsPerGroup = 16;

/// First point of a run: 3 bytes.
enum HeadBits : std::uint32_t {
  kHasIlOffset = 1,  ///< a number follows: the IL offset; otherwise 0
  kHasDocument = 2,  ///< a signed follows: the document less that of the block
  kIsWide = 4,       ///< numbers follow: line and column; the fields here are 0
  kIsLarge = 8,      ///< a number follows: position in `large`; all other bits are 0
};
inline constexpr unsigned kHeadColumnShift = 4, kHeadColumnBits = 7;
inline constexpr unsigned kHeadLineShift = 11, kHeadLineBits = 13;
inline constexpr std::size_t kHeadSize = 3;

/// Further points. Bit 0 clear: 2 bytes.
inline constexpr std::uint32_t kIsMedium = 1;
inline constexpr unsigned kShortStepShift = 1, kShortStepBits = 5;  ///< IL step less 1
inline constexpr unsigned kShortLineShift = 6, kShortLineBits = 3;
inline constexpr std::uint32_t kShortLineBias = 3;
inline constexpr unsigned kShortColumnShift = 9, kShortColumnBits = 7;
inline constexpr std::size_t kShortSize = 2;
/// Bit 0 set: 3 bytes.
inline constexpr unsigned kMediumStepShift = 1, kMediumStepBits = 8;  ///< IL step; 0 = a long point
inline constexpr unsigned kMediumLineShift = 9, kMediumLineBits = 6;
inline constexpr std::uint32_t kMediumLineBias = 32;
inline constexpr unsigned kMediumColumnShift = 15, kMediumColumnBits = 9;
inline constexpr std::size_t kMediumSize = 3;
/// A long point: 2 bytes, of which only these bits may be set, then numbers.
inline constexpr std::uint32_t kLongMask = 0x1FF;  ///< of these only kIsMedium is set
inline constexpr std::uint32_t kLongHasDocument = 0x200;
inline constexpr std::size_t kLongSize = 2;

constexpr std::uint32_t low_bits(unsigned count) { return (1u << count) - 1; }

/// A run of points in `large`.
struct Restart {
  u32le il_offset;  ///< of its first point
  u32le end;        ///< where it ends, from the first run's start
};
static_assert(sizeof(Restart) == 8);
inline constexpr std::size_t kPointsPerRun = 32;
inline constexpr std::size_t kLongestRun = 48;      ///< points; a method of more is in `large`
inline constexpr std::size_t kLargestInline = 255;  ///< bytes; a method of more is in `large`

}  // namespace symcached::ppdbcache
