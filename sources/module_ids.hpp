#pragma once
/// What a file of a module is asked for by: its type, and the names and ids under which sources may have it.
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ids/guid.hpp"
#include "sources/file_type.hpp"

namespace symcached::sources {

/// Digest of a Portable PDB, as the debug directory of its assembly has it.
struct Checksum {
  std::string algorithm;  ///< "SHA256", as recorded
  std::vector<std::byte> digest;
  bool operator==(const Checksum&) const = default;
};

/// The last 4 of the 20 id bytes of a Portable PDB where they are not known: keys of symbol servers have no others.
inline constexpr std::uint32_t kNoStamp = 0xFFFFFFFF;

/// Time stamp and size of a PE image, which together name it.
struct ImageId {
  std::uint32_t timestamp = 0;
  std::uint32_t size = 0;  ///< bytes once loaded
  bool operator==(const ImageId&) const = default;
  std::string code_id() const;  ///< as ModuleIds has it
};

/// What is known of a module. Everything may be missing.
struct ModuleIds {
  std::string code_file = {};   ///< as recorded: a name or a path with separators of either kind, unchecked
  std::string debug_file = {};  ///< the same
  /// Lower-case hex digits: a build id, a UUID, or time stamp (8 digits) and size of a PE image.
  std::string code_id = {};
  std::optional<DebugId> debug_id = {};  ///< of a Portable PDB the age is the stamp, or kNoStamp
  std::vector<Checksum> checksums = {};  ///< of a Portable PDB; none = not known
  bool operator==(const ModuleIds&) const = default;

  /// What follows the last separator; empty unless check_file_name() accepts it. Only these reach paths and URLs.
  std::string_view code_name() const;
  std::string_view debug_name() const;
  std::optional<ImageId> image() const;  ///< code_id read as that of a PE image
  std::optional<Guid> uuid() const;      ///< code_id read as a UUID, else the GUID of a debug_id of age 0
};

struct FileRequest {
  FileType type = FileType::pdb;
  ModuleIds module = {};
  bool operator==(const FileRequest&) const = default;

  /// The module's, or the one that follows from its code_id: build ids and UUIDs lead to debug ids, not the other way.
  std::optional<DebugId> debug_id() const;
};

inline constexpr std::size_t kMaxCodeId = 128;     ///< digits
inline constexpr std::size_t kMaxRecorded = 4096;  ///< bytes of a file name or path as recorded

/// The one check of what comes from requests and from files: ids become lower-case digits without dashes, and what
/// names a file of this type must be there.
/// @return the request, or what is wrong with it, in one line
std::expected<FileRequest, std::string> make_request(FileType type, ModuleIds module);

/// The same request in one spelling, for cache keys and logs: "crash.pdb/3249D99D0C4049318610F4E4FB0B69361a",
/// "elf_debug:libm.so/dfb85de42daffd09640c8fe377d572de3e168920". docs/formats/cache-entry.md has every form.
/// Requests of the same key want the same file; what else they know only helps to find it.
std::string key_text(const FileRequest& request);

/// The first 16 bytes of an ELF build id read as a GUID with little-endian fields, zeros where bytes are missing.
/// Nothing unless `build_id` is an even number of hex digits.
std::optional<DebugId> debug_id_of_build_id(std::string_view build_id);

}  // namespace symcached::sources
