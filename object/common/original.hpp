#pragma once
/// A file to translate, and the further files that it refers to.
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "base/inflate_limits.hpp"

namespace symcached::object {

/// A second file that the first one refers to. What it is called is the producer's word, unchecked.
struct NeedFile {
  enum class Kind : std::uint8_t {
    debug_link,      ///< .gnu_debuglink: the file with the debug sections
    supplementary,   ///< .gnu_debugaltlink: what dwz moved out of several files
    split_unit,      ///< a skeleton unit's .dwo file
    split_package,   ///< a .dwp file; the program's path with ".dwp" behind it
    debug_map,       ///< an object file a linked Mach-O image names in its stabs: "lib.a(x.o)" in a static library
    dsym,            ///< a Mach-O image's FILE.dSYM/Contents/Resources/DWARF/FILE, found by UUID
    uuid_map,        ///< of a Mach-O file with hidden names: the property list of its dSYM that names another UUID
    symbol_map,      ///< the BCSymbolMap of a Mach-O file with hidden names, found by that UUID or its own
    external_debug,  ///< the module that a WebAssembly module names as having its DWARF
    source_map,      ///< of a WebAssembly module: JSON, named by a URL or beside it under its own name and ".map"
    portable_pdb,    ///< of a .NET assembly, found by its id
    assembly,        ///< of a Portable PDB, found by the id that it names: it knows the names of methods
  };
  Kind kind = Kind::debug_link;
  std::string path;            ///< as recorded; "" = next to the file under its own name
  std::string directory;       ///< split_unit: what a relative path counts from
  std::string build_id;        ///< debug_link, supplementary, dsym, uuid_map, symbol_map: lowercase hex; "" = not
                               ///< stated;
                               ///< portable_pdb, assembly: debug id with dashes
  std::uint32_t crc32 = 0;     ///< debug_link
  std::uint64_t dwo_id = 0;    ///< split_unit
  std::uint64_t modified = 0;  ///< debug_map: when the object file was, in seconds since 1970; 0 = not stated

  bool operator==(const NeedFile&) const = default;
};

/// A second file that was found.
struct Companion {
  NeedFile need;
  Bytes file;
};

struct Original {
  Bytes file;
  std::span<const Companion> companions = {};
  std::function<void()> release = {};  ///< called now and then: pages of a mapped file may go
  unsigned threads = 1;
  InflateLimits inflate = {};  ///< of what is compressed in the file; the same for each companion
};

}  // namespace symcached::object
