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
  msfz,     ///< a compressed PDB container, not readable here
  old_pdb,  ///< MSF 2.00, before 1999
};
/// As commands and JSON show it: "portable_pdb".
std::string_view name_of(FileKind kind);

/// The kind by magic alone, whatever the file's name says.
/// @return unknown when no magic fits; a file may still be damaged behind its magic
/// Cost: looks at 64 bytes, and for PE at 4 more.
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
  std::vector<SliceInfo> slices;           ///< of a universal file, in the file's order
  std::optional<ReadError> error;          ///< the first thing that could not be read; the rest is what could be
};

/// What can be said of a file without reading all of it. Never fails: a malformed file has `error` set.
/// A PE image's own debug_id is that of its first Portable PDB if it names one (the other is then of precompiled
/// code), else of its first PDB.
/// A universal file is described as the slice that would be translated.
/// Cost: headers and directories; of a Mach-O file its symbols; of a PDB also the line parts of its modules, up to the
/// first with inlined calls.
FileInfo describe(Bytes file);

/// The architecture of a PE machine number, which PDBs use too (arm64ec and arm64x are arm64).
model::Arch arch_of_machine(std::uint16_t machine);

}  // namespace symcached::object
