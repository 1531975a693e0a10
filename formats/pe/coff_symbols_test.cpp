#include "formats/pe/coff_symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "testing/pe/image.hpp"
#include "testing/pe/parts_walk.hpp"

namespace symcached::pe {
namespace {

using testing::ElementsAre;
using testkit::CoffSymbolSpec;
using testkit::PeImage;
using testkit::Section;

/// `index name section value type class size`, or the error.
std::vector<std::string> text_of(const CoffSymbols& symbols) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < symbols.count();) {
    const auto symbol = symbols.at(i);
    if (!symbol) return {to_string(symbol.error())};
    lines.push_back(fmt::format("{} {} {} {:x} {:x} {} {}", i, symbols.name(*symbol), symbol->section, symbol->value,
                                symbol->type, static_cast<int>(symbol->storage_class), symbol->code_size));
    i += 1u + symbol->aux_count;
  }
  return lines;
}

const std::vector<CoffSymbolSpec> kSymbols = {
    {.name = "short", .value = 0x10},
    {.name = "exactly8", .value = 0x20, .aux = 2, .code_size = 0x44},
    {.name = "longer than eight",
     .value = 0x30,
     .section = -1,
     .type = 0,
     .storage_class = 3,
     .aux = 1,
     .code_size = 9},
    {.name = "", .section = -2, .storage_class = 103},
    {.name = "undefined", .section = 0},
};

TEST(CoffSymbols, OfAnImage) {
  const auto bytes = testkit::assemble(PeImage{.symbols = kSymbols}).finish();
  const auto image = Image::open(bytes);
  ASSERT_TRUE(image);
  const auto symbols = symbols_of(*image);
  ASSERT_TRUE(symbols) << to_string(symbols.error());
  EXPECT_EQ(symbols->count(), 8u);
  EXPECT_THAT(text_of(*symbols),
              ElementsAre("0 short 1 10 20 2 0", "1 exactly8 1 20 20 2 68", "4 longer than eight -1 30 0 3 0",
                          "6  -2 0 20 103 0", "7 undefined 0 0 20 2 0"));
}

TEST(CoffSymbols, BigRecordsHaveMoreSections) {
  testkit::CoffStrings strings;
  const auto records = testkit::coff_symbols(
      {{.name = "f", .section = 70000, .aux = 1, .code_size = 5}, {.name = "a name in the table", .section = -1}}, true,
      strings);
  const auto file = Section().bytes(records).bytes(strings.finish()).finish();
  const auto symbols = CoffSymbols::open(file, 0, 3, true);
  ASSERT_TRUE(symbols);
  EXPECT_THAT(text_of(*symbols), ElementsAre("0 f 70000 0 20 2 5", "2 a name in the table -1 0 20 2 0"));
}

TEST(CoffSymbols, SixteenBitSectionsAreUnsignedUpToTheReservedOnes) {
  testkit::CoffStrings strings;
  const auto file =
      testkit::coff_symbols({{.name = "a", .section = 0xFEFF}, {.name = "b", .section = 0xFFFE}}, false, strings);
  const auto symbols = CoffSymbols::open(file, 0, 2, false);
  ASSERT_TRUE(symbols);
  EXPECT_EQ(symbols->at(0)->section, 0xFEFF);
  EXPECT_EQ(symbols->at(1)->section, -2);
}

TEST(CoffSymbols, WhatCannotBeRightIsNamed) {
  testkit::CoffStrings strings;
  const auto file = testkit::coff_symbols({{.name = "f", .aux = 1}}, false, strings);
  const auto cut = CoffSymbols::open(file, 0, 3, false);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().field, "coff.symbols");
  const auto alone = CoffSymbols::open(file, 0, 1, false);  // without its auxiliary record
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->at(0).error().field, "coff.symbol.aux");
  EXPECT_EQ(alone->at(1).error().field, "coff.symbol.index");
  EXPECT_EQ(CoffSymbols::open(file, ~0ull, 1, false).error().field, "coff.symbols");
}

TEST(CoffSymbols, NamesTheTableDoesNotHoldAreEmpty) {
  struct Row {
    std::string_view why;
    std::uint32_t offset;
    std::string_view want;
  };
  const Row rows[] = {
      {"the first name", 4, "abc"}, {"inside the size", 3, ""},       {"the end of a name", 6, "c"},
      {"past the table", 100, ""},  {"ended by the table", 8, "def"},
  };
  for (const Row& r : rows) {
    const auto file = Section().u32(0).u32(r.offset).zeros(10).u32(11).c_string("abc").text("def").finish();
    const auto symbols = CoffSymbols::open(file, 0, 1, false);
    ASSERT_TRUE(symbols);
    EXPECT_EQ(symbols->name(*symbols->at(0)), r.want) << r.why;
  }
}

}  // namespace
}  // namespace symcached::pe
