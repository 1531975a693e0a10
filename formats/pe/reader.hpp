#pragma once
/// Reads PE images (programs, DLLs, drivers, .NET assemblies) in place: headers, sections, debug directory.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/pe/records.hpp"
#include "formats/pe/string_table.hpp"
#include "ids/guid.hpp"

namespace symcached::pe {

/// More entries than any linker writes; a directory above it is refused.
inline constexpr std::uint32_t kMaxDebugEntries = 1024;
/// Bytes of one CodeView record, path included.
inline constexpr std::uint32_t kMaxCodeViewSize = 64 * 1024;

/// Whether a file is a PE image by its first bytes. A DOS program is none; an image cut before its PE header is one, so
/// that the error can say so. Cost: the DOS header and 4 bytes are looked at.
bool is_image(Bytes file);

/// The optional header with PE32 and PE32+ made one.
struct ImageHeader {
  bool is_64bit = false;                ///< PE32+
  std::uint64_t image_base = 0;         ///< address the image would like to be loaded at
  std::uint32_t entry_point = 0;        ///< RVA; 0 = none
  std::uint32_t section_alignment = 0;  ///< bytes
  std::uint32_t file_alignment = 0;     ///< bytes
  std::uint32_t image_size = 0;         ///< bytes once loaded
  std::uint32_t headers_size = 0;       ///< bytes from the file's start mapped at RVA 0
  std::uint32_t checksum = 0;
  std::uint16_t subsystem = 0;
  std::uint16_t dll_characteristics = 0;
};

/// What a CodeView record says of the PDB. The path is a view into the image's bytes.
struct CodeView {
  enum class Format : std::uint8_t { rsds, nb10 };
  Format format = Format::rsds;
  bool portable = false;        ///< names a Portable PDB; its key on symbol servers ends in FFFFFFFF
  Guid guid;                    ///< rsds only
  std::uint32_t age = 0;        ///< as recorded; always 1 for a Portable PDB
  std::uint32_t timestamp = 0;  ///< nb10: the PDB's signature; rsds: the time stamp of the directory entry
  std::string_view debug_file;  ///< path as the linker recorded it, unchecked, bytes of unknown encoding

  /// GUID and age; for a Portable PDB GUID and time stamp, which are the PDB's 20 id bytes. Only for rsds.
  DebugId debug_id() const { return {guid, portable ? timestamp : age}; }
};

/// The processor of CoffHeader::machine. Ready-to-run .NET images for Linux, macOS and the BSDs hold it combined
/// with a constant of the system; it is taken off here.
/// @return unknown for a value not in Machine
Machine machine_of(std::uint16_t raw);

/// An opened image. Views into bytes it does not own: they live as long as the file's mapping.
/// Opening checks the headers and the section table; what sections hold is checked when it is asked for.
class Image {
 public:
  /// Cost: reads the headers alone; no allocation.
  static Read<Image> open(Bytes file);

  const CoffHeader& coff() const { return coff_; }
  const ImageHeader& header() const { return header_; }
  Machine machine() const { return machine_of(coff_.machine); }
  bool is_dll() const { return (coff_.characteristics & kFileDll) != 0; }
  /// Time stamp and size of image, as symbol servers key executables: "5AB380779000".
  std::string code_id() const { return pe_code_id(coff_.timestamp, header_.image_size); }

  /// In place; at most kMaxDirectories.
  std::span<const DataDirectory> directories() const { return directories_; }
  /// The directory if it is listed and not empty.
  std::optional<DataDirectory> directory(Directory which) const;

  /// In place, in the order of the file.
  std::span<const SectionHeader> sections() const { return sections_; }
  /// @param section  one of sections(), by reference into the file: short names are viewed in place
  /// @return  the name with "/123" and "//BASE64" resolved in the COFF string table; the bytes as they are if the
  ///          table does not hold it (a stripped image)
  std::string_view section_name(const SectionHeader& section) const { return strings_.section_name(section.name); }
  const SectionHeader* find_section(std::string_view name) const;  ///< nullptr = none of that name
  /// What the file holds of a section, without the padding at its end.
  Read<Bytes> section_data(const SectionHeader& section, std::string_view field) const;
  static std::uint32_t backed_size(const SectionHeader& section);  ///< of them, as the header states it
  const StringTable& strings() const { return strings_; }
  Bytes file() const { return file_; }

  /// Where the byte at `rva` lies in the file; nothing if the file does not hold it (zero-filled, outside).
  /// Cost: one pass over the sections.
  std::optional<std::uint64_t> offset_of(std::uint32_t rva) const;
  /// The inverse, for bytes that are mapped at all.
  std::optional<std::uint32_t> rva_of(std::uint64_t offset) const;
  /// `size` bytes at `rva`, if one section (or the headers) holds all of them.
  Read<Bytes> at_rva(std::uint32_t rva, std::uint32_t size, std::string_view field) const;

  /// The debug directory in place, empty if there is none. A size that is no multiple of 28 is rounded down.
  Read<std::span<const DebugEntryRecord>> debug_entries() const;
  /// The bytes an entry points to, by file offset if it has one, else by RVA.
  Read<Bytes> data_of(const DebugEntryRecord& entry) const;
  /// The entry read as CodeView.
  /// @return nothing if the entry is of another type or its signature is neither RSDS nor NB10
  Read<std::optional<CodeView>> code_view(const DebugEntryRecord& entry) const;

 private:
  struct Extent {  ///< a run of the file and where it is mapped
    std::uint64_t offset;
    std::uint32_t rva;
    std::uint32_t size;
  };
  std::optional<Extent> extent_at(std::uint32_t rva) const;
  static Extent backed(const SectionHeader& section);
  Read<void> read_optional_header(Bytes bytes, std::uint64_t offset);

  Bytes file_;
  CoffHeader coff_;
  ImageHeader header_;
  std::span<const DataDirectory> directories_;
  std::span<const SectionHeader> sections_;
  StringTable strings_;
};

}  // namespace symcached::pe
