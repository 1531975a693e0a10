#pragma once
/// The sourcecache file, version 1. Spec: docs/formats/sourcecache.md.
/// Little-endian, no alignment needed, deterministic. Header and table are read at once, texts one by one.
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/endian.hpp"

namespace symcached::sourcecache {

inline constexpr std::array<char, 8> kMagic{'s', 'r', 'c', 'c', 'a', 'c', 'h', 'e'};

/// Raised whenever an older reader could misread the file. Whoever raises it raises the cache version in
/// service/cache_versions.hpp too.
///   1  the first
inline constexpr std::uint32_t kFormatVersion = 1;

struct Header {
  std::array<char, 8> magic;
  u32le version;
  u32le file_count;
  u32le link_count;
  u32le age;  ///< of the debug id; zero with a zero guid: the original has none
  std::array<std::uint8_t, 16> guid;
  u64le table_size;       ///< bytes behind the header: files, links, strings
  u64le texts_size;       ///< bytes behind the table
  u64le header_checksum;  ///< XXH3-64 of the header with this field zero
  u64le table_checksum;   ///< XXH3-64 of the table
  u64le texts_checksum;   ///< XXH3-64 of the texts
};
static_assert(sizeof(Header) == 80 && alignof(Header) == 1);
static_assert(offsetof(Header, table_size) == 40);

enum class TextCodec : std::uint8_t {
  none = 0,     ///< no text, only a URL
  stored = 1,   ///< as it is
  deflate = 2,  ///< a raw deflate stream
};

struct StringRef {
  u32le position;  ///< in the strings
  u32le size;      ///< bytes
};

/// One source file. By rising path, each path once.
struct FileRecord {
  StringRef path;
  StringRef url;      ///< empty: none
  u64le position;     ///< of the text, in the texts
  u32le packed_size;  ///< bytes of it there
  u32le size;         ///< bytes of the plain text
  u8le codec;         ///< TextCodec
  std::array<u8le, 3> reserved;
};
static_assert(sizeof(FileRecord) == 36 && offsetof(FileRecord, position) == 16);

/// A rule of Source Link, in the order of the original.
struct LinkRecord {
  StringRef path;
  StringRef url;
};
static_assert(sizeof(LinkRecord) == 16);

inline constexpr std::uint32_t kMaxFiles = 1u << 20;
inline constexpr std::uint32_t kMaxLinks = 1u << 17;
inline constexpr std::uint32_t kMaxString = 32 * 1024;                ///< bytes of a path or a URL
inline constexpr std::uint32_t kMaxText = 8u << 20;                   ///< bytes of a plain text
inline constexpr std::uint64_t kMaxTable = std::uint64_t{256} << 20;  ///< bytes

}  // namespace symcached::sourcecache
