#include "symcache/piece_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "symcache/format.hpp"
#include "symcache/row_decoder.hpp"

namespace symcached::symcache {
namespace {

std::vector<std::string> pieces_of(std::string_view text, TextRole role) {
  std::vector<std::string> pieces;
  for (; !text.empty(); text.remove_prefix(piece_length(text, role)))
    pieces.emplace_back(text.substr(0, piece_length(text, role)));
  return pieces;
}

TEST(PieceTable, CutsLinkageNamesIntoWordsWithTheirMarks) {
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
  for (const Row& r : rows) EXPECT_EQ(pieces_of(r.text, TextRole::linkage), r.want) << r.why;
}

TEST(PieceTable, CutsNamesAndFilesOnce) {
  struct Row {
    std::string_view why;
    TextRole role;
    std::string_view text, first;
  };
  const Row rows[] = {
      {"no scope", TextRole::name, "main", "main"},
      {"through the last scope", TextRole::name, "a::b::f", "a::b::"},
      {"not inside template arguments", TextRole::name, "std::vector<a::b>::push_back", "std::vector<a::b>::"},
      {"only template arguments have a scope", TextRole::name, "swap<a::b>", "swap<a::b>"},
      {"the last marks are no scope", TextRole::name, "a::", "a::"},
      {"shorter than a scope", TextRole::name, ":", ":"},
      {"folder with its separator", TextRole::file, "D:\\a\\b.cpp", "D:\\a\\"},
      {"either separator", TextRole::file, "/src/a.cpp", "/src/"},
      {"no folder", TextRole::file, "a.cpp", "a.cpp"},
      {"a folder alone", TextRole::file, "/src/", "/"},
      {"one separator", TextRole::file, "/", "/"},
  };
  for (const Row& r : rows) EXPECT_EQ(r.text.substr(0, piece_length(r.text, r.role)), r.first) << r.why;
}

/// The texts of a table, read back from what it writes.
struct Written {
  ByteWriter offsets, piece_text;
  std::vector<ByteWriter> texts;

  explicit Written(const std::vector<std::string>& from) : texts(from.size()) {
    PieceTable table;
    for (std::uint32_t i = 0; i < from.size(); ++i) table.add(i + 1, from[i], TextRole::linkage);
    table.number_pieces();
    for (std::uint32_t i = 0; i < from.size(); ++i) table.put(i + 1, texts[i]);
    table.put_tables(offsets, piece_text);
  }
  std::uint32_t offset(std::uint32_t piece) const {
    u32le value;
    std::memcpy(&value, offsets.bytes().data() + piece * sizeof value, sizeof value);
    return value;
  }
  std::string piece(std::uint32_t number) const {
    return std::string(as_text(piece_text.bytes().subspan(offset(number), offset(number + 1) - offset(number))));
  }
  std::string text(std::size_t index) const {
    UlebCursor in(texts[index].bytes(), 0);
    std::string out;
    for (std::uint32_t left = in.number(); left > 0; --left) out += piece(in.number());
    EXPECT_TRUE(in.at_end() && !in.failed());
    return out;
  }
};

TEST(PieceTable, GivesBackEveryText) {
  const std::vector<std::string> texts{
      "", "a", "a::a::a", std::string(100'000, '<'), "größe::<>", std::string("\0\0x\0", 4), std::string(70'000, 'w')};
  const Written written(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(written.text(i), texts[i]);
}

TEST(PieceTable, NumbersTheMostFrequentFirstAndTiesByText) {
  const Written written({"b::a", "b::c", "c", "b::"});
  EXPECT_EQ(written.piece(0), "b::");
  EXPECT_EQ(written.piece(1), "c");
  EXPECT_EQ(written.piece(2), "a");
}

TEST(PieceTable, NumbersDoNotDependOnTheOrderOfTexts) {
  const Written one({"x::y", "z", "x::z"}), other({"x::z", "z", "x::y"});
  EXPECT_THAT(one.piece_text.bytes(), testing::ElementsAreArray(other.piece_text.bytes()));
  EXPECT_THAT(one.texts[0].bytes(), testing::ElementsAreArray(other.texts[2].bytes()));
}

TEST(PieceTable, EndsWithPadding) {
  const Written written({"a"});
  EXPECT_EQ(written.piece_text.size(), 1 + kTextPadding);
  EXPECT_EQ(written.offsets.size(), 8u);
}

TEST(PieceTable, ATextNeverAddedIsEmpty) {
  PieceTable table;
  table.add(3, "x", TextRole::linkage);
  table.number_pieces();
  ByteWriter out;
  table.put(2, out);
  table.put(99, out);
  EXPECT_THAT(out.bytes(), testing::Each(std::byte{0}));
  EXPECT_EQ(out.size(), 2u);
}

}  // namespace
}  // namespace symcached::symcache
