#include "symcache/text_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/uleb_cursor.hpp"
#include "symcache/format.hpp"

namespace symcached::symcache {
namespace {

constexpr std::size_t kBytes = 1u << 20;

/// What TextTable::put wrote, read as the page says.
struct Put {
  std::string text;
  std::size_t runs = 0;
};
Put put(const TextTable& table, std::uint32_t id, std::string_view shared) {
  ByteWriter out;
  table.put(id, out);
  UlebCursor in(out.bytes(), 0);
  Put result;
  result.runs = in.number();
  for (std::size_t i = 0; i < result.runs; ++i) {
    const Bytes run = in.bytes(table.has_wide_runs() ? 5 : 4);
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(run[at]); };
    std::uint32_t place = byte(1) | byte(2) << 8 | byte(3) << 16;
    if (table.has_wide_runs()) place |= byte(4) << 24;
    result.text += shared.substr(place, byte(0));
  }
  EXPECT_TRUE(in.at_end() && !in.failed());
  return result;
}
std::string shared_text(const TextTable& table) {
  ByteWriter out;
  table.put_shared(out);
  return std::string(as_text(out.bytes()));
}

TEST(TextTable, SharesWhatTextsHaveInCommon) {
  struct Row {
    std::string_view why, text;
    std::size_t runs;
  };
  const std::string scope = "_ZN4ceph6common15ConfigProxy_impl";
  const std::string other = "ZNSt8functionIFvSt10unique_ptrI7Context";
  const std::string both = scope + other;
  const Row rows[] = {
      {"the first is new", scope, 1},
      {"so is one without a common part", other, 1},
      {"made of two that are there", both, 2},
      {"a new part in between", "_ZN4ceph6common15ConfigProxy_impl7refreshZNSt8functionIFvSt10unique_ptrI7Context", 3},
      {"one that is there", scope, 1},
      {"the middle of one", "6common15ConfigProxy", 1},
      {"common part too short to be worth it", "_ZN4ceph6comXXXXXXXXXXXXXXXXXXXX", 1},
      {"shorter than what is hashed", "main", 1},
      {"nothing", "", 0},
      {"a match at the very end of the shared text", "XXXXXXXXXXXXXXXXmain", 2},
  };
  TextTable table(kBytes);
  for (std::uint32_t id = 0; const Row& r : rows) table.add(id++, r.text);
  const std::string shared = shared_text(table);
  EXPECT_EQ(shared.substr(shared.size() - kTextPadding), std::string(kTextPadding, '\0'));
  for (std::uint32_t id = 0; const Row& r : rows) {
    const Put got = put(table, id++, shared);
    EXPECT_EQ(got.text, r.text) << r.why;
    EXPECT_LE(got.runs, r.runs + 1) << r.why;
    EXPECT_GE(got.runs, std::min<std::size_t>(r.runs, 1)) << r.why;
  }
}

TEST(TextTable, LongTextsTakeSeveralRuns) {
  std::string text;
  std::mt19937_64 random(5);
  while (text.size() < kMaxTextSize) text += static_cast<char>('a' + random() % 26);
  TextTable table(kBytes);
  table.add(7, text);
  table.add(8, text.substr(1000, 700));
  const std::string shared = shared_text(table);
  EXPECT_EQ(shared.size(), text.size() + kTextPadding);
  EXPECT_EQ(put(table, 7, shared).text, text);
  EXPECT_EQ(put(table, 7, shared).runs, (text.size() + kLongestRunOfText - 1) / kLongestRunOfText);
  EXPECT_EQ(put(table, 8, shared).text, text.substr(1000, 700));
}

TEST(TextTable, RunsBecomeWideBehind16MiB) {
  TextTable table(kBytes);
  std::mt19937_64 random(6);
  std::vector<std::string> texts;
  for (std::uint32_t id = 0; id < 18; ++id) {
    std::string& text = texts.emplace_back(kMaxTextSize, 'x');
    for (char& c : text) c = static_cast<char>(random());
    table.add(id, text);
    EXPECT_EQ(table.has_wide_runs(), id >= 16) << id;
  }
  const std::string shared = shared_text(table);
  for (std::uint32_t id = 0; id < texts.size(); ++id) EXPECT_TRUE(put(table, id, shared).text == texts[id]) << id;
}

TEST(TextTable, SameTextsInOneOrderGiveTheSameBytes) {
  std::vector<std::string> texts;
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i)
    texts.push_back("_ZN" + std::to_string(random() % 50) + "abcdefghijklmnopqrstabcdefghijklmnop" +
                    std::to_string(random() % 7) + "uvwxyzabcdefghijkuvwxyzabcdefghijk" +
                    std::to_string(random() % 900));
  const auto bytes = [&](std::uint32_t first_id) {
    TextTable table(kBytes);
    for (std::uint32_t i = 0; i < texts.size(); ++i) table.add(first_id + i, texts[i]);
    ByteWriter out;
    for (std::uint32_t i = 0; i < texts.size(); ++i) table.put(first_id + i, out);
    table.put_shared(out);
    return std::move(out).finish();
  };
  EXPECT_EQ(bytes(0), bytes(100));  // ids are names for the caller, and leave no trace
  std::size_t plain = 0;
  for (const std::string& text : texts) plain += text.size();
  EXPECT_LT(bytes(0).size(), plain / 2);
}

}  // namespace
}  // namespace symcached::symcache
