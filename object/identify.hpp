#pragma once
/// Tells what a file is: its kind by the first bytes, then its identity and what it has to offer.
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
};
/// As commands and JSON show it: "portable_pdb".
std::string_view name_of(FileKind kind);

/// The kind by magic alone, whatever the file's name says; perf maps have none and are told by their first lines.
/// @return unknown when no magic fits; a file may still be damaged behind its magic
/// Cost: looks at 96 bytes, for PE at 4 more, and where no magic fits at 4096.
FileKind identify(Bytes file);

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
  std::string trouble;                 ///< why a wrapper or bundle cannot be opened; empty = it can, or there is none
  std::vector<SliceInfo> slices;       ///< of a universal file, in the file's order
  std::optional<ReadError> error;      ///< the first thing that could not be read; the rest is what could be
};

/// What can be said of a file without reading all of it. Never fails: a malformed file has `error` set.
/// A PE image's own debug_id is that of its first Portable PDB if it names one (the other is then of precompiled
/// code), else of its first PDB.
/// A packed file is unpacked and what is inside is described; if that fails, the wrapper is.
/// A universal file is described as the slice that would be translated.
/// Cost: headers and directories; what is packed is unpacked, a Breakpad file read to its end; of a Mach-O file its
/// symbols; of a PDB also the line parts of its modules, up to the first with inlined calls.
FileInfo describe(Bytes file);

/// The architecture of a PE machine number, which PDBs use too (arm64ec and arm64x are arm64).
model::Arch arch_of_machine(std::uint16_t machine);

}  // namespace symcached::object
