#pragma once
/// Tells what a file is: its kind by the first bytes, then its identity and what it has to offer.
#include <string_view>

#include "object/common/file_info.hpp"

namespace symcached::object {

/// As commands and JSON show it: "portable_pdb".
std::string_view name_of(FileKind kind);

/// The kind by magic alone, whatever the file's name says; perf maps have none and are told by their first lines.
/// @return unknown when no magic fits; a file may still be damaged behind its magic
/// Cost: looks at 96 bytes, for PE at 4 more, and where no magic fits at 4096.
FileKind identify(Bytes file);

/// What can be said of a file without reading all of it. Never fails: a malformed file has `error` set.
/// A PE image's own debug_id is that of its first Portable PDB if it names one (the other is then of precompiled
/// code), else of its first PDB.
/// A packed file is unpacked and what is inside is described; if that fails, the wrapper is.
/// A universal file is described as the slice that would be translated.
/// Cost: headers and directories; what is packed is unpacked, a Breakpad file read to its end; of a Mach-O file its
/// symbols; of a PDB also the line parts of its modules, up to the first with inlined calls.
FileInfo describe(Bytes file);

/// The same of a file that is known not to be packed, or whose wrapper is meant.
FileInfo describe_unpacked(Bytes file);

}  // namespace symcached::object
