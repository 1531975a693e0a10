#pragma once
/// Reads one Mach-O file (program, library, dSYM, object file) in place: header, load commands, symbols.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "formats/macho/records.hpp"
#include "ids/guid.hpp"

namespace symcached::macho {

/// mach_header with both sizes and both byte orders made one.
struct Header {
  bool is_64bit = false;
  bool big_endian = false;
  Cpu cpu{};
  std::uint32_t cpu_subtype = 0;  ///< as it stands, kSubtypeFlags included
  FileType type{};
  std::uint32_t command_count = 0;
  std::uint32_t commands_size = 0;  ///< bytes
  std::uint32_t flags = 0;
  /// Code with signed pointers.
  bool is_arm64e() const { return cpu == Cpu::arm64 && (cpu_subtype & ~kSubtypeFlags) == kSubtypeArm64e; }
};

/// The name by which Apple's tools know a processor: "x86_64", "arm64e". Empty = not known.
std::string_view cpu_name(Cpu cpu, std::uint32_t subtype);

struct SectionInfo {
  std::string_view name, segment;  ///< "__text" in "__TEXT"
  std::uint64_t address = 0;
  std::uint64_t size = 0;         ///< bytes in memory
  std::uint64_t file_offset = 0;  ///< 0 where the file does not hold it
  std::uint32_t relocation_offset = 0, relocation_count = 0;
  std::uint32_t flags = 0;
  std::uint32_t reserved1 = 0, reserved2 = 0;
  std::uint32_t segment_index = 0;  ///< into File::segments

  std::uint32_t type() const { return flags & kSectionType; }
  bool has_instructions() const { return (flags & (kPureInstructions | kSomeInstructions)) != 0; }
  bool is_zero_fill() const { return type() == kZeroFill || type() == kZeroFillLarge || type() == kThreadZeroFill; }
};

struct Segment {
  std::string_view name;
  std::uint64_t address = 0, size = 0;           ///< in memory
  std::uint64_t file_offset = 0, file_size = 0;  ///< bytes; 0 in a dSYM, whose code is elsewhere
};

/// Longer names are read as none: without a bound, rows that share one endless name would take forever.
inline constexpr std::size_t kMaxName = 1u << 16;

/// One row of the symbol table.
struct Symbol {
  std::string_view name;  ///< empty also where the string table does not hold it
  std::uint8_t type = 0;
  std::uint8_t section = 0;  ///< 1-based index into File::sections; 0 = none
  std::uint16_t description = 0;
  std::uint64_t value = 0;

  bool is_stab() const { return (type & kStabBits) != 0; }
  Stab stab() const { return static_cast<Stab>(type); }
  bool is_defined() const { return !is_stab() && (type & kTypeBits) == kDefinedInSection && section != 0; }
  bool is_external() const { return (type & kExternal) != 0 && (type & kPrivateExtern) == 0; }
  bool is_weak() const { return (description & kWeakDefinition) != 0; }
};

/// The symbol table, decoded row by row.
class Symbols {
 public:
  Symbols() = default;
  Symbols(Bytes rows, Bytes strings, bool is_64bit, bool big_endian);

  std::uint32_t size() const { return count_; }
  /// @param index  below size()
  Symbol at(std::uint32_t index) const { return read_(*this, index); }
  std::size_t string_bytes() const { return strings_.size(); }

 private:
  template <std::endian O, class W>
  static Symbol read(const Symbols& from, std::uint32_t index);
  std::string_view name_at(std::uint32_t offset) const;

  Bytes rows_, strings_;
  std::uint32_t count_ = 0;
  Symbol (*read_)(const Symbols&, std::uint32_t) = nullptr;
};

/// A jump through which code reaches a symbol of another library.
struct Stub {
  std::uint64_t address = 0;
  std::uint32_t size = 0;    ///< bytes
  std::uint32_t symbol = 0;  ///< index into File::symbols, always valid
};

/// A value in a section that names an address of this file.
struct Relocation {
  std::uint64_t offset = 0;  ///< from the section's start
  std::uint32_t symbol = 0;  ///< external: index into the symbols; else the 1-based section
  std::uint8_t bytes = 0;    ///< 1, 2, 4 or 8
  std::uint8_t type = 0;     ///< 0 = the address itself, on every processor
  bool pc_relative = false;
  bool external = false;
};

/// What `platform` and `minimum_system` of LC_BUILD_VERSION or the LC_VERSION_MIN_… commands say.
struct BuildVersion {
  std::uint32_t platform = 0;        ///< 1 macOS, 2 iOS, 3 tvOS, 4 watchOS, …
  std::uint32_t minimum_system = 0;  ///< 16 bits major, 8 minor, 8 patch
};

/// An opened file. Views into bytes it does not own: they live as long as the file's mapping.
/// Opening checks header and load commands; what they point to is checked when it is asked for.
class File {
 public:
  /// Cost: reads the load commands alone; memory for segments and sections.
  static Read<File> open(Bytes file);

  const Header& header() const { return header_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<SectionInfo>& sections() const { return sections_; }
  const SectionInfo* find_section(std::string_view segment, std::string_view name) const;  ///< nullptr = none
  /// Stated address of __TEXT, from which addresses in crash reports count; 0 = there is none (object files).
  std::uint64_t image_base() const { return image_base_; }
  const std::optional<Guid>& uuid() const { return uuid_; }
  /// Install name of a library (LC_ID_DYLIB); empty = none.
  std::string_view library_name() const { return library_name_; }
  const std::optional<BuildVersion>& build_version() const { return build_version_; }
  bool is_encrypted() const { return encrypted_; }  ///< parts of __TEXT are; names and debug data are not
  bool has_exports_trie() const { return exports_size_ != 0; }
  bool has_function_starts() const { return function_starts_size_ != 0; }

  /// The bytes of a section; empty where the file does not hold them (zero-filled, or code in a dSYM).
  Read<Bytes> data_of(const SectionInfo& section) const;
  Read<Symbols> symbols() const;
  /// Addresses at which functions start, rising. Empty if the file does not say.
  Read<std::vector<std::uint64_t>> function_starts() const;
  /// The trie of exported names, for read_exports(); empty if there is none.
  Read<Bytes> exports_trie() const;
  /// Entries of sections of stubs that have a symbol.
  Read<std::vector<Stub>> stubs(const Symbols& symbols) const;
  /// Scattered entries, which only 32-bit x86 and ARM have, are left out.
  Read<std::vector<Relocation>> relocations(const SectionInfo& section) const;

  Bytes file() const { return file_; }

 private:
  template <std::endian O, class W>
  Read<void> read_commands();
  template <std::endian O, class W>
  Read<void> read_command(std::uint32_t command, Bytes body, std::uint64_t offset);
  template <std::endian O, class W>
  Read<void> read_segment(ByteReader in);
  template <std::endian O>
  void read_library_name(Bytes body);
  std::uint32_t number_at(Bytes data, std::size_t offset) const;

  Bytes file_;
  Header header_;
  std::vector<Segment> segments_;
  std::vector<SectionInfo> sections_;
  std::uint64_t image_base_ = 0;
  std::optional<Guid> uuid_;
  std::string_view library_name_;
  std::optional<BuildVersion> build_version_;
  bool encrypted_ = false;
  std::uint32_t symbol_offset_ = 0, symbol_count_ = 0, string_offset_ = 0, string_size_ = 0;
  std::uint32_t indirect_offset_ = 0, indirect_count_ = 0;
  std::uint32_t function_starts_offset_ = 0, function_starts_size_ = 0;
  std::uint32_t exports_offset_ = 0, exports_size_ = 0;
};

}  // namespace symcached::macho
