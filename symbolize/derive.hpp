#pragma once
/// From an original to its derived caches, as a plain function for the CPU pool.
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "ids/guid.hpp"
#include "object/translate.hpp"
#include "symbolize/contents.hpp"
#include "symcache/function_store.hpp"

namespace symcached::symbolize {

struct DerivedSymcache {
  std::vector<std::byte> file;  ///< a whole symcache, opened once by the reader before it is handed out
  DebugId debug_id;             ///< what the original says it is; the caller compares it with what was asked for
  Contents contents{};
  bool names_are_hidden = false;  ///< by a bitcode build, and its BCSymbolMap is not among the companions
};

/// @param columns  to leave them out makes the symcache smaller: lines are all that many readers show
/// @return the symcache of `original`, or a sentence that names the field and what is wrong with it
/// Cost: about 0.4 s per 100 MB of PDB, 2 s per 100 MB of compressed DWARF; memory about 8 times the result, and
/// for compressed sections their plain size.
std::expected<DerivedSymcache, std::string> derive_symcache(const object::Original& original,
                                                            symcache::Columns columns = symcache::Columns::keep);

struct DerivedPpdbcache {
  std::vector<std::byte> file;  ///< a whole ppdbcache, opened once by the reader before it is handed out
  DebugId debug_id;
  Contents contents{};
};

/// @param original  a Portable PDB or a .NET assembly; with its other half among the companions lines have names
/// @return the ppdbcache, or a sentence that names the field and what is wrong with it
/// Cost: about 4 ms per MB of Portable PDB.
std::expected<DerivedPpdbcache, std::string> derive_ppdbcache(const object::Original& original);

enum class CacheKind : std::uint8_t { symcache, ppdbcache, sourcecache };

struct DerivedCache {
  CacheKind kind{};
  std::vector<std::byte> file;
  DebugId debug_id;
  Contents contents{};
  bool names_are_hidden = false;  ///< as of a DerivedSymcache
};

/// Whichever of the first two a file is for: a ppdbcache of what object::is_managed(), else a symcache.
/// @param columns  of a symcache
std::expected<DerivedCache, std::string> derive_cache(const object::Original& original,
                                                      symcache::Columns columns = symcache::Columns::keep);

}  // namespace symcached::symbolize
