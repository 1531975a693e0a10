#pragma once
/// From a file that has sources, or says where they are, to a sourcecache. docs/formats/sourcecache.md
#include <expected>
#include <string>
#include <vector>

#include "ids/guid.hpp"
#include "object/common/original.hpp"

namespace symcached::symbolize {

struct DerivedSources {
  std::vector<std::byte> file;  ///< a whole sourcecache, opened once by the reader before it is handed out
  DebugId debug_id;             ///< that the original states; zero: none
};

/// @param original  a source bundle, a Portable PDB, a .NET assembly with one inside, or a PDB of native code, which
///                  has no texts but may say where they are
/// @return the sourcecache, which may be empty, or a sentence. A source that cannot be read is left out, as are those
///         that are more than the format has room for, and those that make more of the original than it is.
/// Cost: about that of copying the sources; they stay packed.
std::expected<DerivedSources, std::string> derive_sources(const object::Original& original);

}  // namespace symcached::symbolize
