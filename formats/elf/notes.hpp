#pragma once
/// The notes of an ELF file: small records that tools leave for each other.
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/elf/records.hpp"

namespace symcached::elf {

class File;

struct Note {
  std::string_view owner;  ///< "GNU"; in place, without its NUL
  std::uint32_t type = 0;
  Bytes data;
};

/// Walks the notes of one section or segment.
class NoteReader {
 public:
  /// @param alignment  of the segment or section; 8 pads names and data to 8 bytes, all else to 4
  NoteReader(Bytes data, Layout layout, std::uint64_t alignment)
      : in_(data), layout_(layout), alignment_(alignment == 8 ? 8 : 4) {}
  /// @return false at the end, or where the rest is no note
  bool next(Note& note);

 private:
  ByteReader in_;
  Layout layout_;
  std::size_t alignment_;
};

/// The first build id among the notes of sections, then of segments.
/// Cost: one pass over the notes, at most as many bytes as the file has.
Bytes find_build_id(const File& file);

}  // namespace symcached::elf
