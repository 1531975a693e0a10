#pragma once
/// Moves functions of a PDB to where a tool put their code after linking. Spec: docs/formats/pdb.md, section 8.
#include <cstdint>
#include <span>
#include <vector>

#include "formats/pdb/pdb.hpp"
#include "model/module.hpp"
#include "object/common/work_budget.hpp"

namespace symcached::object {

/// A stretch of code that moved as one.
struct MovedPiece {
  std::uint32_t offset = 0;  ///< bytes from the start of the range asked for
  std::uint32_t size = 0;
  std::uint32_t target = 0;  ///< RVA in the final image
};

/// Where [rva, rva + size) went; parts that were dropped are left out, pieces that still follow each other are one.
/// @param omap   sorted by source
/// @param limit  entries to look at
/// @return       entries looked at; `limit` + 1 if there are more
std::uint64_t find_moved_pieces(std::span<const pdb::OmapEntry> omap, std::uint32_t rva, std::uint32_t size,
                                std::uint64_t limit, std::vector<MovedPiece>& out);

/// Hands functions to a sink piece by piece: the first piece as the function itself, the others as its cold parts.
class OmapMover {
 public:
  /// @param omap  sorted by source; must outlive this
  explicit OmapMover(std::span<const pdb::OmapEntry> omap) : omap_(omap), pieces_left_(kPiecesPerEntry * omap.size()) {}

  /// @param budget  of steps: one for each row of each piece, more for each call of it
  /// @return        an error where functions overlap so much that the map is walked over and over
  Read<void> emit(model::Function function, model::ModuleSink& sink, WorkBudget& budget);

 private:
  static constexpr std::uint64_t kPiecesPerEntry = 64;
  /// Rows and inlined calls of [offset, offset + size), numbered anew.
  void cut(const model::Function& whole, const MovedPiece& piece);

  std::span<const pdb::OmapEntry> omap_;
  std::uint64_t pieces_left_;  ///< besides one for each function
  std::vector<MovedPiece> pieces_;
  std::vector<model::Line> lines_;
  std::vector<model::Inlinee> inlinees_;
  std::vector<std::uint32_t> used_;  ///< inlinees of the piece, by their numbers in the whole
  std::vector<std::uint32_t> kept_;  ///< per inlinee of the whole: its new number and one, or 0
};

}  // namespace symcached::object
