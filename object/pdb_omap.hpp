#pragma once
/// Moves functions of a PDB to where a tool put their code after linking. Spec: docs/formats/pdb.md, section 8.
#include <cstdint>
#include <span>
#include <vector>

#include "formats/pdb/pdb.hpp"
#include "model/module.hpp"

namespace symcached::object {

/// A stretch of code that moved as one.
struct MovedPiece {
  std::uint32_t offset = 0;  ///< bytes from the start of the range asked for
  std::uint32_t size = 0;
  std::uint32_t target = 0;  ///< RVA in the final image
};

/// Where [rva, rva + size) went; parts that were dropped are left out, pieces that still follow each other are one.
/// @param omap  sorted by source
void find_moved_pieces(std::span<const pdb::OmapEntry> omap, std::uint32_t rva, std::uint32_t size,
                       std::vector<MovedPiece>& out);

/// Hands `function` to the sink piece by piece: the first as itself, the others as its cold parts.
void emit_moved(std::span<const pdb::OmapEntry> omap, model::Function function, model::ModuleSink& sink);

}  // namespace symcached::object
