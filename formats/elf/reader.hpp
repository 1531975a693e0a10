#pragma once
/// Reads ELF files (programs, libraries, objects, debug files) in place: headers, sections, segments, identity, links.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "formats/elf/records.hpp"
#include "ids/guid.hpp"

namespace symcached::elf {

/// A longer section name is cut here; none that has a meaning is.
inline constexpr std::size_t kMaxSectionName = 256;

struct AddressRange {
  std::uint64_t start = 0, end = 0;
};

/// How the contents of a section are packed.
struct Packing {
  Compression method = Compression::none;
  Bytes data;              ///< the compressed stream; the contents when not compressed
  std::uint64_t size = 0;  ///< bytes once inflated
};

/// .gnu_debuglink
struct DebugLink {
  std::string_view file;  ///< name without folders, unchecked
  std::uint32_t crc32 = 0;
};

/// .gnu_debugaltlink
struct AltLink {
  std::string_view file;  ///< path, unchecked
  Bytes build_id;
};

/// An opened file. Views into bytes it does not own: they live as long as the file's mapping.
/// Opening reads the headers and both header tables; what sections hold is checked when it is asked for.
class File {
 public:
  /// Cost: one pass over the header tables, about 100 bytes of memory per section.
  static Read<File> open(Bytes file);

  Layout layout() const { return layout_; }
  FileType type() const { return header_.type; }
  Machine machine() const { return header_.machine; }
  const Header& header() const { return header_; }
  Bytes bytes() const { return file_; }

  /// By index, the null section included. In a relocatable file (where all addresses are 0) sections with code are
  /// placed one behind the other from address 0, in order, each aligned as it asks for.
  std::span<const Section> sections() const { return sections_; }
  std::span<const Segment> segments() const { return segments_; }
  const Section* section(std::string_view name) const;  ///< the first of that name; nullptr = none
  const Section* section(SectionType type) const;

  /// The bytes of a section as they lie in the file; none for nobits.
  Read<Bytes> contents(const Section& section) const;
  /// What the section's header or its ".zdebug_" name says of its contents.
  Read<Packing> packing(const Section& section) const;

  /// Stated address of Rva 0: that of the lowest loaded segment; 0 if there is none.
  std::uint64_t image_base() const;
  /// Sections with code; where sections are stripped, segments with code. In the file's order.
  std::vector<AddressRange> code_ranges() const;

  /// The GNU build id; empty if there is none that can be read.
  Bytes build_id() const;
  /// Lowercase hex of the build id; empty if there is none.
  std::string code_id() const;
  /// The build id's first 16 bytes as a GUID, or what stands in for a missing one: the first page of .text folded into
  /// 16 bytes. Nothing if neither is there.
  std::optional<DebugId> debug_id() const;

  std::optional<DebugLink> debug_link() const;
  std::optional<AltLink> alt_link() const;

 private:
  Read<void> read_header();
  Read<void> read_sections();
  Read<void> read_segments();
  void name_sections(std::uint32_t names_index);
  Read<void> place_code();

  Bytes file_;
  Layout layout_;
  Header header_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

/// The first 16 bytes read as a GUID whose first three fields are in the file's byte order; zeros where bytes are
/// missing.
DebugId debug_id_of(Bytes build_id, Layout layout);

}  // namespace symcached::elf
