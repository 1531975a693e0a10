/// Symbol tables: which symbols count, how long they are, and what they name where no function does.
#include "object/common/code_symbols.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/common/work_budget.hpp"
#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Binding = CodeSymbol::Binding;

constexpr CodeRange kCode[] = {{0x3000, 0x3100}, {0x1000, 0x2000}};

CodeSymbols symbols_of(std::initializer_list<CodeSymbol> list) {
  CodeSymbols symbols;
  for (const CodeSymbol& symbol : list) symbols.add(symbol);
  symbols.finish(kCode);
  return symbols;
}

std::vector<std::string> text_of(std::span<const CodeSymbol> symbols) {
  std::vector<std::string> out;
  for (const CodeSymbol& s : symbols) out.push_back(fmt::format("{:x}+{:x} {}", s.address, s.size, s.name));
  return out;
}

TEST(CodeSymbols, SizesAndOrder) {
  const auto symbols = symbols_of({
      {0x1040, 0, "up to the next"},
      {0x1000, 0x10, "stated"},
      {0x1060, 0, "up to the end of its section"},
      {0x30f0, 0x1000, "cut at the end"},
      {0x1000, 0, "with another"},
      {0x2000, 8, "outside"},
      {0xfff, 8, "outside, too"},
      {0x3000, ~std::uint64_t{0}, "endless"},
  });
  EXPECT_THAT(text_of(symbols.all()),
              ElementsAre("1000+10 stated", "1000+40 with another", "1040+20 up to the next",
                          "1060+fa0 up to the end of its section", "3000+100 endless", "30f0+10 cut at the end"));
}

TEST(CodeSymbols, TheOneToShowFirst) {
  const auto symbols = symbols_of({{0x1000, 4, "b"},
                                   {0x1000, 4, "stub", Binding::global, true},
                                   {0x1000, 4, "local", Binding::local},
                                   {0x1000, 4, "weak", Binding::weak},
                                   {0x1000, 4, "_underscored"},
                                   {0x1000, 4, "a"},
                                   {0x1000, 9, "a"}});
  EXPECT_THAT(text_of(symbols.at(0x1000)),
              ElementsAre("1000+9 a", "1000+4 b", "1000+4 _underscored", "1000+4 weak", "1000+4 local", "1000+4 stub"));
  EXPECT_THAT(text_of(symbols.at(0x1001)), IsEmpty());
}

TEST(CodeSymbols, FromAnAddress) {
  const auto symbols = symbols_of({{0x1000, 4, "a"}, {0x1000, 4, "b"}, {0x1010, 4, "c"}});
  EXPECT_EQ(symbols.from(0x500).size(), 3u);
  EXPECT_EQ(symbols.from(0x1000).size(), 3u);
  EXPECT_EQ(symbols.from(0x100f).size(), 3u);
  EXPECT_THAT(text_of(symbols.from(0x1010)), ElementsAre("1010+4 c"));
  EXPECT_THAT(text_of(symbols.from(0x9000)), ElementsAre("1010+4 c"));
  EXPECT_THAT(symbols_of({}).from(0), IsEmpty());
}

TEST(CodeSymbols, EndWhereFunctionsDo) {
  CodeSymbols symbols;
  for (const CodeSymbol& symbol : {CodeSymbol{0x1000, 0, "at its start"}, CodeSymbol{0x1110, 0, "inside"},
                                   CodeSymbol{0x1190, 0, "outside"}, CodeSymbol{0x1300, 0x400, "of stated size"}})
    symbols.add(symbol);
  EXPECT_TRUE(symbols.any_without_size());
  const CodeRange code[] = {{0x1000, 0x2000}};
  const CodeRange functions[] = {{0x1000, 0x1040}, {0x1100, 0x1180}, {0x1200, 0x1280}, {0x1400, 0x1500}};
  symbols.finish(code, functions);
  EXPECT_FALSE(symbols.any_without_size());
  EXPECT_THAT(text_of(symbols.all()),
              ElementsAre("1000+40 at its start", "1110+70 inside", "1190+70 outside", "1300+400 of stated size"));
}

std::vector<std::string> emitted(const CodeSymbols& symbols, std::vector<CodeRange> covered) {
  ModelText sink;
  symbols.emit(sink, 0x1000, covered);
  return sink.text();
}

TEST(CodeSymbols, NamesWhatNoFunctionCovers) {
  struct Row {
    std::string_view why;
    std::vector<CodeRange> covered;
    std::vector<std::string> want;  ///< of the symbol f at 0x1100 to 0x1180
  };
  const Row rows[] = {
      {"nothing", {}, {"100+80 f public"}},
      {"something before and behind", {{0x1000, 0x1100}, {0x1180, 0x1200}}, {"100+80 f public"}},
      {"all, from another start", {{0x10f0, 0x1200}}, {}},
      {"all, from its start: an alias", {{0x1100, 0x1180}}, {"100+80 f public"}},
      {"its start", {{0x1100, 0x1140}}, {"100+80 f public", "140+40 f public"}},
      {"its end", {{0x1140, 0x1180}}, {"100+40 f public"}},
      {"the middle", {{0x1120, 0x1140}}, {"100+20 f public", "140+40 f public"}},
      {"pieces that overlap",
       {{0x1110, 0x1170}, {0x1120, 0x1130}, {0x1168, 0x1170}},
       {"100+10 f public", "170+10 f public"}},
  };
  const auto symbols = symbols_of({{0x1100, 0x80, "f"}});
  for (const Row& r : rows) EXPECT_EQ(emitted(symbols, r.covered), r.want) << r.why;
}

TEST(CodeSymbols, StubsAreThunks) {
  EXPECT_THAT(emitted(symbols_of({{0x1100, 8, "puts", Binding::global, true}}), {}), ElementsAre("100+8 puts thunk"));
}

TEST(WorkBudget, EndsOnce) {
  WorkBudget budget(100);
  EXPECT_TRUE(budget.spend(60));
  EXPECT_TRUE(budget.spend(40));
  EXPECT_FALSE(budget.overdrawn());
  EXPECT_TRUE(budget.spend(0));
  EXPECT_FALSE(budget.spend(1));
  EXPECT_TRUE(budget.overdrawn());
  EXPECT_FALSE(budget.spend(0));
  const ReadError error = budget.refusal("dwarf.work", 7).error();
  EXPECT_EQ(to_string(error), "too large: 101, the limit is 100 (dwarf.work at offset 7)");
  WorkBudget large(~std::uint64_t{0});
  EXPECT_TRUE(large.spend(std::uint64_t{1} << 40));
  EXPECT_FALSE(large.spend(~std::uint64_t{0}));
}

}  // namespace
}  // namespace symcached::object
