#include "symcache/interner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace symcached::symcache {
namespace {

TEST(Interner, NumbersTextsInOrderOfArrival) {
  struct Row {
    std::string_view why, text;
    std::uint32_t want;
  };
  const Row rows[] = {
      {"the empty text is always there", "", 0},
      {"the first", "a", 1},
      {"another", "b", 2},
      {"seen before", "a", 1},
      {"bytes count, not what a C string would end at", std::string_view("a\0", 2), 3},
      {"NUL alone", std::string_view("\0", 1), 4},
      {"case counts", "A", 5},
  };
  Interner texts;
  for (const Row& r : rows) EXPECT_EQ(texts.intern(r.text), r.want) << r.why;
  for (const Row& r : rows) EXPECT_EQ(texts.text(r.want), r.text) << r.why;
  EXPECT_EQ(texts.size(), 6u);
}

TEST(Interner, TextsStayWhereTheyAreWhileItGrows) {
  constexpr std::uint32_t kCount = 50'000;
  Interner texts;
  const std::string_view first = texts.text(texts.intern("first"));
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(texts.intern("text " + std::to_string(i)), i + 2);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(texts.intern("text " + std::to_string(i)), i + 2);
  EXPECT_EQ(texts.text(kCount + 1), "text " + std::to_string(kCount - 1));
  EXPECT_EQ(first.data(), texts.text(1).data());
}

TEST(Interner, KeepsTextsLongerThanItsChunks) {
  Interner texts;
  const std::string longest(3'000'000, 'x');
  const auto before = texts.intern("before"), id = texts.intern(longest), after = texts.intern("after");
  EXPECT_EQ(texts.text(id), longest);
  EXPECT_EQ(texts.text(before), "before");
  EXPECT_EQ(texts.text(after), "after");
}

TEST(Interner, ANameWithParametersHasANumberOfItsOwn) {
  Interner texts;
  const auto f = texts.intern("f"), g = texts.intern("g");
  EXPECT_FALSE(texts.has_parameters());
  const auto one = texts.intern("(int)"), f_one = texts.with_parameters(f, one);
  EXPECT_NE(f_one, f);
  EXPECT_EQ(texts.with_parameters(f, one), f_one);
  EXPECT_NE(texts.with_parameters(g, one), f_one);
  EXPECT_EQ(texts.with_parameters(f, 0), f) << "nothing known";
  EXPECT_EQ(texts.with_parameters(0, one), 0u) << "no name";
  EXPECT_EQ(texts.text(f_one), "f");
  EXPECT_EQ(texts.name(f_one), f);
  EXPECT_EQ(texts.name(f), f);
  EXPECT_EQ(texts.parameters(f_one), one);
  EXPECT_EQ(texts.parameters(f), 0u);
  EXPECT_EQ(texts.intern("f"), f) << "which is found again by its text";
  EXPECT_TRUE(texts.has_parameters());
}

TEST(Interner, CopiesWhatItIsGiven) {
  Interner texts;
  std::string mine = "gone soon";
  const auto id = texts.intern(mine);
  mine.assign(mine.size(), '-');
  EXPECT_EQ(texts.text(id), "gone soon");
}

}  // namespace
}  // namespace symcached::symcache
