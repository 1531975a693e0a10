#pragma once
/// Sources inside of a Portable PDB, found by their path. docs/source-context.md
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ppdb/reader.hpp"

namespace symcached::object {

/// The documents of a PDB by path. The PDB must outlive it, and must not move.
class EmbeddedSources {
 public:
  /// Cost: sorts the names of all documents; no source is looked at.
  static Read<EmbeddedSources> open(const ppdb::Pdb& pdb);

  /// Row of the document with this path. If none has exactly this one, case of ASCII letters and the direction of
  /// slashes do not count; of several the first in order of bytes, then of rows, is taken. Cost: a binary search.
  std::optional<std::uint32_t> document(std::string_view path) const;

  /// The source as the compiler read it: any encoding, with its byte order mark.
  /// @return  nothing if there is no such document, or its source is not in the PDB (a miss is no error)
  Read<std::optional<Buffer>> source(std::string_view path) const;

 private:
  struct Name {
    std::string path;
    std::uint32_t row = 0;
  };
  explicit EmbeddedSources(const ppdb::Pdb& pdb) : pdb_(&pdb) {}

  const ppdb::Pdb* pdb_;
  std::vector<Name> names_;  ///< ordered by what counts in a loose comparison, then by path and row
};

/// One source. Who wants several opens EmbeddedSources once.
Read<std::optional<Buffer>> embedded_source_of(const ppdb::Pdb& pdb, std::string_view path);

}  // namespace symcached::object
