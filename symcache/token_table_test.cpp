#include "symcache/token_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "symcache/format.hpp"
#include "symcache/row_decoder.hpp"

namespace symcached::symcache {
namespace {

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (; !text.empty(); text.remove_prefix(token_length(text))) tokens.emplace_back(text.substr(0, token_length(text)));
  return tokens;
}

TEST(TokenTable, CutsTextsIntoWordsWithTheirMarks) {
  struct Row {
    std::string_view why, text;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"nothing", "", {}},
      {"a word", "main", {"main"}},
      {"a word takes the marks behind it", "std::vector<int>", {"std::", "vector<", "int>"}},
      {"at most three of them", "f>>>>::g", {"f>>>", ">::", "g"}},
      {"marks alone, at most eight", "((((((((((x", {"((((((((", "((", "x"}},
      {"blanks are marks", "operator new", {"operator ", "new"}},
      {"a path", "C:\\src\\a.cpp", {"C:\\", "src\\", "a.", "cpp"}},
      {"bytes of UTF-8 are letters", "größe::x", {"größe::", "x"}},
      {"$ and _ are letters", "$_a1?b", {"$_a1?", "b"}},
      {"NUL is a mark", std::string_view("a\0b", 3), {std::string("a\0", 2), "b"}},
  };
  for (const Row& r : rows) EXPECT_EQ(tokens_of(r.text), r.want) << r.why;
}

/// The texts of a table, read back from what it writes.
struct Written {
  ByteWriter offsets, token_text;
  std::vector<ByteWriter> texts;

  explicit Written(const std::vector<std::string>& from) : texts(from.size()) {
    TokenTable table;
    for (std::uint32_t i = 0; i < from.size(); ++i) table.add(i + 1, from[i]);
    table.number_tokens();
    for (std::uint32_t i = 0; i < from.size(); ++i) table.put(i + 1, texts[i]);
    table.put_tables(offsets, token_text);
  }
  std::uint32_t offset(std::uint32_t token) const {
    u32le value;
    std::memcpy(&value, offsets.bytes().data() + token * sizeof value, sizeof value);
    return value;
  }
  std::string token(std::uint32_t number) const {
    return std::string(as_text(token_text.bytes().subspan(offset(number), offset(number + 1) - offset(number))));
  }
  std::string text(std::size_t index) const {
    UlebCursor in(texts[index].bytes(), 0);
    std::string out;
    for (std::uint32_t left = in.number(); left > 0; --left) out += token(in.number());
    EXPECT_TRUE(in.at_end() && !in.failed());
    return out;
  }
};

TEST(TokenTable, GivesBackEveryText) {
  const std::vector<std::string> texts{
      "", "a", "a::a::a", std::string(100'000, '<'), "größe::<>", std::string("\0\0x\0", 4), std::string(70'000, 'w')};
  const Written written(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(written.text(i), texts[i]);
}

TEST(TokenTable, NumbersTheMostFrequentFirstAndTiesByText) {
  const Written written({"b::a", "b::c", "c", "b::"});
  EXPECT_EQ(written.token(0), "b::");
  EXPECT_EQ(written.token(1), "c");
  EXPECT_EQ(written.token(2), "a");
}

TEST(TokenTable, NumbersDoNotDependOnTheOrderOfTexts) {
  const Written one({"x::y", "z", "x::z"}), other({"x::z", "z", "x::y"});
  EXPECT_THAT(one.token_text.bytes(), testing::ElementsAreArray(other.token_text.bytes()));
  EXPECT_THAT(one.texts[0].bytes(), testing::ElementsAreArray(other.texts[2].bytes()));
}

TEST(TokenTable, EndsWithPadding) {
  const Written written({"a"});
  EXPECT_EQ(written.token_text.size(), 1 + kTextPadding);
  EXPECT_EQ(written.offsets.size(), 8u);
}

TEST(TokenTable, ATextNeverAddedIsEmpty) {
  TokenTable table;
  table.add(3, "x");
  table.number_tokens();
  ByteWriter out;
  table.put(2, out);
  table.put(99, out);
  EXPECT_THAT(out.bytes(), testing::Each(std::byte{0}));
  EXPECT_EQ(out.size(), 2u);
}

}  // namespace
}  // namespace symcached::symcache
