#include "formats/macho/bcsymbolmap.hpp"

#include <gtest/gtest.h>

namespace symcached::macho {
namespace {

constexpr std::string_view kMap =
    "BCSymbolMap Version: 2.0\n"
    "main\n"
    "\1-[Thing do:]\n"
    "/src/thing.m\n"
    "__ZN1a1bEv\r\n"
    "last";

TEST(SymbolMap, LinesFromZeroBehindTheHeading) {
  const auto map = SymbolMap::open(as_bytes(kMap));
  ASSERT_TRUE(map);
  ASSERT_EQ(map->size(), 5u);
  EXPECT_EQ(map->line(0), "main");
  EXPECT_EQ(map->line(3), "__ZN1a1bEv");
  EXPECT_EQ(map->line(4), "last");
}

TEST(SymbolMap, NamesOfSymbols) {
  const auto map = SymbolMap::open(as_bytes(kMap));
  struct Row {
    std::string_view name, want;
  };
  const Row rows[] = {
      {"___hidden#0_", "main"},
      {"__hidden#1_", "-[Thing do:]"},
      {"___hidden#1_", "-[Thing do:]"},
      {"__hidden#3_", "_ZN1a1bEv"},
      {"___hidden#4_", "last"},
      {"___hidden#5_", "__hidden#5_"},
      {"___hidden#99999999999_", "__hidden#99999999999_"},
      {"___hidden#0", "__hidden#0"},
      {"___hidden#0_x", "__hidden#0_x"},
      {"_main", "main"},
      {"main", "main"},
      {"-[Other do]", "-[Other do]"},
      {"", ""},
  };
  for (const Row& r : rows) EXPECT_EQ(map->symbol_name(r.name), r.want) << r.name;
}

TEST(SymbolMap, TextsOfDebugData) {
  const auto map = SymbolMap::open(as_bytes(kMap));
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"__hidden#0_", "main"},
      {"__hidden#1_", "-[Thing do:]"},
      {"a::__hidden#0_::b", "a::main::b"},
      {"/build/__hidden#2_", "/src/thing.m"},
      {"__hidden#9_/__hidden#0_", "__hidden#9_/main"},
      {"__hidden#", "__hidden#"},
      {"plain", "plain"},
  };
  for (const Row& r : rows) EXPECT_EQ(map->revealed(r.text), r.want) << r.text;
}

TEST(SymbolMap, RepetitionIsBounded) {
  const std::string text = "BCSymbolMap Version: 1.0\n" + std::string(10000, 'x') + "\n" + std::string(70000, 'y');
  const auto map = SymbolMap::open(as_bytes(text));
  ASSERT_TRUE(map);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "__hidden#0_";
  EXPECT_LE(map->revealed(many).size(), kMaxRevealed + many.size());
  EXPECT_EQ(map->revealed("__hidden#1_"), "__hidden#1_");
  EXPECT_EQ(map->symbol_name("___hidden#1_"), "__hidden#1_");
}

TEST(SymbolMap, OtherTextsAreRefused) {
  for (const std::string_view text : {"", "BCSymbolMap", "BCSymbolMap Version: 3.0\n", "MODULE mac x86_64"})
    EXPECT_FALSE(SymbolMap::open(as_bytes(text))) << text;
  const std::string many = "BCSymbolMap Version: 2.0\n" + std::string(kMaxMapLines + 1, '\n');
  EXPECT_FALSE(SymbolMap::open(as_bytes(many)));
  EXPECT_TRUE(is_hidden("a __hidden#1_"));
  EXPECT_FALSE(is_hidden("_hidden_"));
}

}  // namespace
}  // namespace symcached::macho
