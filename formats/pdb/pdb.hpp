#pragma once
/// What a PDB says of itself and where its parts are. Spec: docs/formats/pdb.md, sections 2 and 3.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "formats/pdb/codeview.hpp"
#include "formats/pdb/msf.hpp"
#include "ids/guid.hpp"

namespace symcached::pdb {

inline constexpr std::size_t kMaxStreamName = 256;  ///< bytes

/// A place in the image as the compiler's records name it: 1-based section and offset in it.
struct SectionOffset {
  std::uint16_t segment = 0;
  std::uint32_t offset = 0;
  auto operator<=>(const SectionOffset&) const = default;
};

struct SectionHeader {  ///< IMAGE_SECTION_HEADER, as copied into the PDB
  std::array<char, 8> name;
  u32le virtual_size;
  u32le virtual_address;
  u32le raw_size, raw_offset;
  u32le relocations_offset, lines_offset;
  u16le relocation_count, line_count;
  u32le characteristics;
  bool is_code() const { return (characteristics & 0x20000020) != 0; }  ///< executable, or "contains code"
};
static_assert(sizeof(SectionHeader) == 40 && alignof(SectionHeader) == 1);

/// A piece of the image that one module gave the linker.
struct Contribution {
  SectionOffset start;
  std::uint32_t size = 0;
  std::uint32_t module = 0;
};

struct ModuleInfo {
  std::string_view name;         ///< object file, "* Linker *", "Import:x.dll", …
  std::string_view object_file;  ///< library or object file on disk
  StreamIndex stream = kNoStream;
  std::uint32_t symbol_bytes = 0;
  std::uint32_t c11_bytes = 0;
  std::uint32_t c13_bytes = 0;

  std::uint64_t bytes() const { return std::uint64_t{symbol_bytes} + c11_bytes + c13_bytes; }
};

struct ModuleData {
  Bytes symbols;  ///< the signature (4 bytes) and the symbol records
  Bytes c13;
};

/// A stream that tools find by its name: "/names", "srcsrv", "sourcelink$1", …
struct NamedStream {
  std::string_view name;
  StreamIndex stream = kNoStream;
};

/// Of Source Link's JSON; linkers number the streams: "sourcelink$1", "sourcelink$2", …
bool is_source_link(std::string_view stream_name);

struct OmapEntry {  ///< from `source` up to the next entry, addresses move to `target`; 0 = gone
  u32le source;
  u32le target;
};
static_assert(sizeof(OmapEntry) == 8);

/// Owns what had to be assembled; views into the input otherwise. Not copyable, movable.
class File {
 public:
  /// Reads info, DBI, contributions, section headers, OMAP and /names.
  /// Cost: proportional to the number of modules and contributions, not to the size of the file.
  static Read<File> open(Bytes bytes);

  File(File&&) = default;
  File& operator=(File&&) = default;

  const Msf& msf() const { return msf_; }
  /// The guid of the info stream with the age of the DBI stream, which is the one that matches executables; the info
  /// stream's age where there is no DBI stream.
  DebugId debug_id() const { return debug_id_; }
  std::uint32_t info_age() const { return info_age_; }
  std::uint16_t machine() const { return machine_; }  ///< IMAGE_FILE_MACHINE_*; 0 if there is no DBI stream
  bool is_stripped() const { return stripped_; }      ///< only publics were kept
  bool is_fastlink() const { return fastlink_; }      ///< /DEBUG:FASTLINK: only names the object files with the rest

  std::span<const ModuleInfo> modules() const { return modules_; }
  std::span<const SectionHeader> sections() const { return sections_; }
  /// Sorted by start.
  std::span<const Contribution> contributions() const { return contributions_; }
  /// The contribution that holds `at`, null if none does. Cost: one binary search.
  const Contribution* contribution_at(SectionOffset at) const;
  /// Address in the image as the compiler laid it out, before OMAP. Empty: no such section.
  std::optional<std::uint32_t> rva_of(SectionOffset at) const;
  /// Present when a tool reordered the image after linking; sorted by source.
  std::span<const OmapEntry> omap_from_source() const { return omap_; }

  /// The parts of a module's stream, which must exist. They live as long as the input and `scratch` untouched.
  Read<ModuleData> module_data(const ModuleInfo& module, std::vector<std::byte>& scratch) const;

  /// Text of /names that starts at `offset`; empty if none does.
  std::string_view name_at(std::uint32_t offset) const;

  /// In the order of the file; names of more than kMaxStreamName bytes are left out. The streams need not exist.
  std::span<const NamedStream> named_streams() const { return named_streams_; }

  StreamIndex symbol_records() const { return symbol_records_; }  ///< kNoStream if there are none

 private:
  File() = default;
  Read<void> read_info();
  Read<void> read_named_streams(ByteReader& in);
  Read<void> read_names(StreamIndex index);
  Read<void> read_dbi();
  Read<void> read_modules(Bytes data);
  Read<void> read_contributions(Bytes data);
  Read<void> read_debug_header(Bytes data);
  template <class T>
  Read<std::span<const T>> read_table(StreamIndex index, std::vector<std::byte>& owned, std::string_view field);

  Msf msf_;
  DebugId debug_id_;
  std::uint32_t info_age_ = 0;
  std::uint16_t machine_ = 0;
  bool stripped_ = false;
  bool fastlink_ = false;
  StreamIndex symbol_records_ = kNoStream;
  std::vector<std::byte> info_bytes_, dbi_bytes_, names_bytes_, sections_bytes_, omap_bytes_;
  Bytes names_;
  std::vector<NamedStream> named_streams_;
  std::vector<ModuleInfo> modules_;
  std::vector<Contribution> contributions_;
  std::span<const SectionHeader> sections_;
  std::span<const OmapEntry> omap_;
};

}  // namespace symcached::pdb
