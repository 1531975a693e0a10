/// Files made to cost more than they are worth: what they ask for must stay in proportion to their size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "object/pdb/translate.hpp"
#include "testing/checking_sink.hpp"
#include "testing/pdb/image.hpp"

namespace symcached::object {
namespace {

using testkit::CheckingSink;
using testkit::PdbImage;
using testkit::Subsections;
using testkit::Symbols;

/// A module with one section of code; blocks are large so that the directory stays small.
Read<void> translate(const Symbols& symbols, const Subsections& c13, CheckingSink& sink, PdbImage image = {}) {
  image.sections = {{0x1000, 0x7FFFFFFF}};
  image.modules.insert(image.modules.begin(), {"a.obj", symbols.finish(), c13.finish()});
  image.contributions = {{{1, 0}, 0x7FFFFFFF, 0}};
  return translate_pdb(testkit::assemble(image, {.block_size = 65536}), sink);
}

std::vector<testkit::LineSpec> rising_rows(std::uint32_t count) {
  std::vector<testkit::LineSpec> rows;
  for (std::uint32_t i = 0; i < count; ++i) rows.push_back({4 * i, i % 1000 + 1});
  return rows;
}

TEST(HostilePdb, ManyFunctionsInOneLargeTableAreASearchEach) {
  constexpr std::uint32_t kRows = 100000;
  Symbols symbols;
  for (std::uint32_t i = 0; i < kRows; ++i) symbols.proc("f", {1, 4 * i}, 4).end();
  CheckingSink sink;
  ASSERT_TRUE(translate(symbols, Subsections().lines({1, 0}, 4 * kRows, {{0, rising_rows(kRows)}}), sink));
  EXPECT_EQ(sink.functions, kRows);
  EXPECT_EQ(sink.rows, 2 * kRows) << "each function's own row and its end";
}

TEST(HostilePdb, PublicsInOneLargeTableToo) {
  constexpr std::uint32_t kRows = 100000;
  PdbImage image;
  for (std::uint32_t i = 0; i < kRows; ++i) image.publics.global("p", {1, 4 * i});
  CheckingSink sink;
  ASSERT_TRUE(translate({}, Subsections().lines({1, 0}, 4 * kRows, {{0, rising_rows(kRows)}}), sink, image));
  EXPECT_EQ(sink.functions, kRows);
}

TEST(HostilePdb, FunctionsThatAllCoverOneLargeTableAreRefused) {
  constexpr std::uint32_t kMany = 20000;
  Symbols symbols;
  for (std::uint32_t i = 0; i < kMany; ++i) symbols.proc("f", {1, 0}, 4 * kMany).end();
  CheckingSink sink;
  const auto result = translate(symbols, Subsections().lines({1, 0}, 4 * kMany, {{0, rising_rows(kMany)}}), sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "pdb.work");
  EXPECT_LT(sink.rows, 64 * kMany * 16) << "a few times the file's size, not the product of both";
}

TEST(HostilePdb, ManyTablesUnderManyFunctionsAreRefused) {
  constexpr std::uint32_t kMany = 20000;
  Symbols symbols;
  Subsections c13;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    symbols.proc("f", {1, 0}, 0x7FFFFFFF).end();
    c13.lines({1, 4 * i}, 4, {});
  }
  CheckingSink sink;
  const auto result = translate(symbols, c13, sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "pdb.lines.overlap");
}

TEST(HostilePdb, CallsThatOverlapCostTheirDepth) {
  constexpr std::uint32_t kSites = 30000;
  PdbImage image;
  image.items.func_id(0, "g");
  Symbols symbols;
  symbols.proc("f", {1, 0}, 4 * kSites);
  for (std::uint32_t i = 0; i < kSites; ++i) symbols.inline_site(0x1000, {3, 0}).end_site();
  symbols.end();
  CheckingSink sink;
  ASSERT_TRUE(translate(symbols, Subsections().lines({1, 0}, 4 * kSites, {{0, rising_rows(kSites)}}), sink, image));
  EXPECT_LE(sink.inlinees, kSites);
}

/// A call of many rows, and `depth` calls inside it that hold all of its bytes: each row makes them new ones.
Symbols nested_calls(std::uint32_t functions, std::uint32_t rows, std::uint32_t depth) {
  Symbols symbols;
  for (std::uint32_t f = 0; f < functions; ++f) {
    symbols.proc("f", {1, f * 0x10000}, 0x10000);
    testkit::Section outer;
    outer.u32(0).u32(0).u32(0x1000);
    for (std::uint32_t i = 0; i < rows; ++i) outer.u8(11).u8(2 << 4 | 2);  // one line and two bytes further
    symbols.record(pdb::SymKind::inline_site, outer);
    for (std::uint32_t i = 0; i < depth; ++i) symbols.inline_site(0x1000, {3, 0});
    for (std::uint32_t i = 0; i <= depth; ++i) symbols.end_site();
    symbols.end();
  }
  return symbols;
}

TEST(HostilePdb, CallsInsideCallsOfManyRowsAreRefused) {
  PdbImage image;
  image.items.func_id(0, "g");
  image.sections = {{0x1000, 0x7FFFFFFF}};
  image.modules = {{"a.obj", nested_calls(40, 4000, 250).finish(), Subsections().inlinees({{0x1000, 0, 1}}).finish()}};
  image.contributions = {{{1, 0}, 0x7FFFFFFF, 0}};
  const auto file = testkit::assemble(image);
  CheckingSink sink;
  const auto result = translate_pdb(file, sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "pdb.work");
  EXPECT_LT(sink.rows + 8 * sink.inlinees, 2 * file.size() + (1u << 16)) << "not the product of rows and calls";
}

TEST(HostilePdb, RealCallsInsideCallsAreWithinTheBudget) {
  PdbImage image;
  image.items.func_id(0, "g");
  CheckingSink sink;
  const auto result = translate(nested_calls(500, 8, 8), Subsections().inlinees({{0x1000, 0, 1}}), sink, image);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(sink.rows, 500u * 10);
}

TEST(HostilePdb, PiecesOfMovedCodeWithManyCallsEachAreRefused) {
  constexpr std::uint32_t kPieces = 20000;
  PdbImage image;
  image.items.func_id(0, "g");
  for (std::uint32_t i = 0; i < kPieces; ++i) image.omap.push_back({0x1000 + 4 * i, 0x1000 + 8 * (i ^ 1)});
  image.original_sections = {{0x1000, 0x7FFFFFFF}};
  CheckingSink sink;
  Symbols symbols;
  symbols.proc("f", {1, 0}, 4 * kPieces);
  for (int i = 0; i < 250; ++i) symbols.inline_site(0x1000, {3, 0});
  for (int i = 0; i < 250; ++i) symbols.end_site();
  const auto refused = translate(symbols.end(), {}, sink, image);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "pdb.work");
  EXPECT_LT(sink.inlinees, 1'000'000u) << "not one for each call and piece";
}

TEST(HostilePdb, ClassNamesRepeatedWithoutEndAreRefused) {
  PdbImage image;
  image.types.structure(std::string(60000, 'x'));
  constexpr std::uint32_t kMany = 3000;
  for (std::uint32_t i = 0; i < kMany; ++i) image.items.member_id(0x1000, "m");
  Symbols symbols;
  symbols.proc("f", {1, 0}, 8);
  for (std::uint32_t i = 0; i < kMany; ++i) symbols.inline_site(0x1000 + i, {3, 0}).end_site();
  symbols.end();
  CheckingSink sink;
  const auto result = translate(symbols, {}, sink, image);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "pdb.item.function.name");
  EXPECT_LT(sink.text_bytes, 12u << 20);
}

TEST(HostilePdb, FilesNamedInTheMiddleOfALongNameHaveNone) {
  constexpr std::uint32_t kMany = 20000;
  PdbImage image{.names = {std::string(200000, 'n')}};
  testkit::Section checksums;
  std::vector<testkit::LinesOfFile> blocks;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    checksums.u32(i + 1).u32(0);
    blocks.push_back({8 * i, {{i, 1}}});
  }
  Subsections c13;
  c13.subsection(pdb::SubsectionKind::file_checksums, checksums).lines({1, 0}, kMany, blocks);
  CheckingSink sink;
  ASSERT_TRUE(translate(Symbols().proc("f", {1, 0}, kMany).end(), c13, sink, image));
  EXPECT_LT(sink.text_bytes, 300000u);
}

}  // namespace
}  // namespace symcached::object
