#include "object/pdb/omap.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using Omap = std::vector<pdb::OmapEntry>;

pdb::OmapEntry entry(std::uint32_t source, std::uint32_t target) { return {u32le(source), u32le(target)}; }

TEST(Omap, Pieces) {
  const Omap map = {entry(0x100, 0x900), entry(0x110, 0x910), entry(0x120, 0x300), entry(0x130, 0),
                    entry(0x140, 0x800)};
  struct Row {
    std::string_view why;
    std::uint32_t rva, size;
    std::string_view want;
  };
  const Row rows[] = {
      {"inside one entry", 0x104, 4, "0+4->904"},
      {"entries that still follow each other are one piece", 0x100, 0x20, "0+20->900"},
      {"split", 0x118, 0x10, "0+8->918 8+8->300"},
      {"a dropped part is left out", 0x128, 0x20, "0+8->308 18+8->800"},
      {"dropped", 0x132, 4, ""},
      {"the last entry goes on", 0x1000, 4, "0+4->16c0"},
      {"before the first", 0x10, 4, ""},
      {"from before the first into it", 0xF8, 0x10, "8+8->900"},
      {"nothing asked", 0x100, 0, ""},
      {"up to the end of the address space", 0xFFFFFFF0, 0xFFFFFFFF, "0+ffffffff->6b0"},
  };
  for (const Row& r : rows) {
    std::vector<MovedPiece> pieces;
    EXPECT_LE(find_moved_pieces(map, r.rva, r.size, 100, pieces), map.size()) << r.why;
    std::string text;
    for (const MovedPiece& p : pieces)
      text += fmt::format("{}{:x}+{:x}->{:x}", text.empty() ? "" : " ", p.offset, p.size, p.target);
    EXPECT_EQ(text, r.want) << r.why;
  }
}

TEST(Omap, PiecesTakeTheirRowsAndCallsAlong) {
  const Omap map = {entry(0x100, 0x900), entry(0x110, 0x300)};
  ModelText text;
  const auto name = [&](std::string_view n) { return text.intern(n); };
  const std::vector<model::Inlinee> inlinees = {{.name = name("first"), .call_line = 1},
                                                {.name = name("second"), .call_line = 2},
                                                {.caller = 1, .name = name("third"), .call_line = 3}};
  const std::vector<model::Line> lines = {{.offset = 0, .line = 10, .inlinee = 0},
                                          {.offset = 0x14, .line = 20, .inlinee = 2}};
  OmapMover mover(map);
  WorkBudget budget(1000);
  ASSERT_TRUE(mover.emit({.start = {0x100}, .size = 0x20, .name = name("f"), .lines = lines, .inlinees = inlinees},
                         text, budget));
  ASSERT_TRUE(mover.emit(
      {.start = {0x118}, .size = 8, .name = name("cold"), .kind = model::SymbolKind::cold_part, .parent = {0x104}},
      text, budget));
  EXPECT_EQ(budget.spent(), 1u + 2 + 8 * (1 + 3)) << "rows and calls of both pieces";
  EXPECT_EQ(text.text(), (std::vector<std::string>{
                             "300+10 f cold part of 900 | 0 :10 first < :1 | 4 :20 third < :3 second < :2",
                             "308+8 cold cold part of 904",
                             "900+10 f | 0 :10 first < :1",
                         }));
}

/// Functions that all cover the whole map would be work without end.
TEST(Omap, WalkingTheMapOverAndOverIsRefused) {
  Omap map;
  for (std::uint32_t i = 1; i <= 1000; ++i) map.push_back(entry(i * 16, 0x100000 - i * 16));
  ModelText text;
  OmapMover mover(map);
  WorkBudget budget(1000);
  Read<void> result;
  int functions = 0;
  while (result && functions < 10000) {
    result = mover.emit({.start = {16}, .size = 0x100000}, text, budget);
    ++functions;
  }
  EXPECT_EQ(result ? "" : result.error().field, "pdb.omap_from_source.overlap");
  EXPECT_LT(functions, 100);
}

}  // namespace
}  // namespace symcached::object
