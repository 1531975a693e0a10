#pragma once
/// Opens a sourcecache and finds source files by their path. Spec: docs/formats/sourcecache.md.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/buffer.hpp"
#include "base/bytes.hpp"
#include "ids/guid.hpp"
#include "sourcecache/format.hpp"

namespace symcached::sourcecache {

struct File {
  std::string_view path, url;
  TextCodec codec = TextCodec::none;
  std::uint64_t position = 0;     ///< of the text, from the start of the cache
  std::uint32_t packed_size = 0;  ///< bytes of it there
  std::uint32_t size = 0;         ///< bytes of the plain text
  bool has_text() const { return codec != TextCodec::none; }
};

struct Link {
  std::string_view path, url;
};

/// Bytes from the start of the cache that Reader::open() needs; at most kMaxTable and the header's.
/// @param start  of the cache, sizeof(Header) bytes of it suffice
Read<std::uint64_t> table_end(Bytes start);

/// Views the start of a cache, which must outlive it and everything it hands out. Texts need not be there.
class Reader {
 public:
  /// @param start  table_end() bytes or more
  /// Checks header and table against their checksums. Cost: reads the table once.
  static Read<Reader> open(Bytes start);

  /// Checks all records, and unpacks each text. @param whole  the cache
  Read<void> verify(Bytes whole) const;

  DebugId debug_id() const { return {Guid{header_.guid}, header_.age}; }
  std::uint32_t file_count() const { return static_cast<std::uint32_t>(files_.size()); }
  std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
  /// The file with exactly this path; nothing if there is none. Cost: a binary search.
  std::optional<File> find(std::string_view path) const;
  /// @param index  below the count; nothing if the record is wrong
  std::optional<File> file(std::uint32_t index) const;
  std::optional<Link> link(std::uint32_t index) const;

 private:
  std::optional<std::string_view> string(const StringRef& ref) const;

  Header header_{};
  std::span<const FileRecord> files_;
  std::span<const LinkRecord> links_;
  Bytes strings_;
};

/// The text of a file. @param packed  its bytes as they are in the cache; what they were is not relied on
Read<Buffer> unpack(const File& file, Bytes packed);

/// True if the bytes start as a sourcecache does.
bool is_sourcecache(Bytes file);

}  // namespace symcached::sourcecache
