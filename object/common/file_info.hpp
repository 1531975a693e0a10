#pragma once
/// What is said of a file: its kind, its identity, what it has to offer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "ids/guid.hpp"
#include "model/module.hpp"

namespace symcached::object {

enum class FileKind : std::uint8_t {
  unknown,
  pdb,           ///< MSF 7.00, made by Microsoft's and LLVM's linkers
  portable_pdb,  ///< .NET metadata with debug tables
  pe,
  coff,  ///< object files of Windows compilers
  elf,
  macho,
  macho_fat,    ///< several Mach-O files in one
  bcsymbolmap,  ///< text: the names that a bitcode build hid
  wasm,
  breakpad,  ///< text symbols
  symcache,  ///< ours
  cab,
  zip,
  gzip,
  zstd,
  xz,
  msfz,           ///< a compressed PDB container, not readable here
  old_pdb,        ///< MSF 2.00, before 1999
  szdd,           ///< one file packed by Microsoft's compress.exe
  kwaj,           ///< the same, of its other format
  source_bundle,  ///< sources for a debug file, packed by sentry-cli
  perf_map,       ///< text: the functions of a just-in-time compiler
  ppdbcache,      ///< ours, for .NET
  archive,        ///< object files in an ar archive: .a, .lib, .rlib
  symbol_list,    ///< text: addresses, types and names, of a kernel or from nm
  jitdump,        ///< the functions of a just-in-time compiler, with lines and code
};

/// Another file this one names as its debug file.
struct Link {
  FileKind kind = FileKind::unknown;  ///< of the file named: pdb, portable_pdb, old_pdb
  std::string debug_id;               ///< as FileInfo prints it; old_pdb: time stamp as 8 digits, "-", age in hex
  std::string path;                   ///< as recorded, unchecked
};

/// One Mach-O file of a universal one.
struct SliceInfo {
  std::string arch;  ///< as Apple's tools call it: "arm64e"; empty = not known
  std::optional<DebugId> debug_id;
  std::uint64_t offset = 0, size = 0;  ///< bytes
};

/// One file of an archive.
struct MemberInfo {
  std::string name;  ///< unchecked; several may have one name
  FileKind kind = FileKind::unknown;
  model::Arch arch = model::Arch::unknown;
  std::optional<DebugId> debug_id;
  std::string code_id;     ///< empty = none
  std::uint64_t size = 0;  ///< bytes
};

struct FileInfo {
  FileKind kind = FileKind::unknown;
  model::Arch arch = model::Arch::unknown;
  std::optional<DebugId> debug_id;
  std::string code_id;                     ///< empty = none
  std::string debug_file;                  ///< as recorded, unchecked; empty = none
  std::vector<std::string_view> features;  ///< static words, in a fixed order: "debug-directory", "unwind", …
  std::vector<Link> links;                 ///< every debug file named, in the file's order
  std::vector<FileKind> wrappers;          ///< what the file is packed in, from the outside in; all else is of the file
  std::string member;                      ///< its name in the archive around it, unchecked; empty = none
  std::optional<std::uint64_t> file_count;  ///< source_bundle: files in it
  std::vector<std::string> checksums;  ///< of an assembly's PDB, "SHA256:" and hex; of a Portable PDB, its own SHA-256
  std::vector<std::string> documents;  ///< of a Portable PDB or ppdbcache: paths of its sources, unchecked
  std::string source_link;             ///< of a Portable PDB: its JSON text, unchecked
  std::vector<MemberInfo> members;     ///< of an archive, in its order; of a thin one names and sizes alone
  std::string trouble;                 ///< why a wrapper or bundle cannot be opened; empty = it can, or there is none
  std::vector<SliceInfo> slices;       ///< of a universal file, in the file's order
  std::vector<model::CodeSection> sections;  ///< of a relocatable file or its cache: where its code is placed
  std::optional<ReadError> error;            ///< the first thing that could not be read; the rest is what could be

  /// Once, however often it is added.
  void add_feature(std::string_view feature) {
    if (std::ranges::find(features, feature) == features.end()) features.push_back(feature);
  }
  void keep_first(const ReadError& found) {
    if (!error) error = found;
  }
};

}  // namespace symcached::object
