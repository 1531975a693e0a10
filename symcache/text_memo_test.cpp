#include "symcache/text_memo.hpp"

#include <gtest/gtest.h>

#include <string>

namespace symcached::symcache {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 20;

TextKey key(std::uint64_t cache, std::uint64_t position) { return {cache, position}; }

/// @return false if there was no room
bool add(TextMemo& memo, TextKey at, std::string_view name) {
  if (!memo.has_room()) return false;
  char* const kept = memo.memory.take(name.size());
  name.copy(kept, name.size());
  memo.add({.key = at, .name = kept, .name_size = static_cast<std::uint32_t>(name.size())});
  return true;
}

std::string name_of(TextMemo& memo, TextKey at) {
  const KnownText* const known = memo.find(at);
  return known == nullptr ? "?" : std::string(known->name, known->name_size);
}

TEST(TextMemo, KnowsNothingBeforeTheFirstAnswer) {
  TextMemo memo(kPlenty);
  EXPECT_EQ(memo.find(key(1, 0)), nullptr);
  EXPECT_FALSE(memo.has_room());
}

TEST(TextMemo, TellsCachesAndPositionsApart) {
  TextMemo memo(kPlenty);
  memo.begin();
  for (const TextKey at : {key(1, 0), key(2, 0), key(1, std::uint64_t{1} << 32), key(std::uint64_t{1} << 24, 0)})
    ASSERT_TRUE(add(memo, at, std::to_string(at.cache) + "/" + std::to_string(at.position)));
  EXPECT_EQ(name_of(memo, key(1, 0)), "1/0");
  EXPECT_EQ(name_of(memo, key(2, 0)), "2/0");
  EXPECT_EQ(name_of(memo, key(1, std::uint64_t{1} << 32)), "1/4294967296");
  EXPECT_EQ(name_of(memo, key(std::uint64_t{1} << 24, 0)), "16777216/0");
  EXPECT_EQ(name_of(memo, key(3, 0)), "?");
}

TEST(TextMemo, GrowsBetweenAnswersAndKeepsWhatItKnows) {
  TextMemo memo(kPlenty);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    memo.begin();
    ASSERT_TRUE(add(memo, key(1, i), std::to_string(i))) << i;
  }
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(name_of(memo, key(1, i)), std::to_string(i));
}

TEST(TextMemo, StaysWhereItIsDuringAnAnswer) {
  TextMemo memo(kPlenty);
  memo.begin();
  ASSERT_TRUE(add(memo, key(1, 0), "first"));
  const KnownText* const first = memo.find(key(1, 0));
  std::uint64_t added = 1;
  while (add(memo, key(1, added), "another")) ++added;
  EXPECT_LT(added, 1000u);
  EXPECT_EQ(memo.find(key(1, 0)), first);
  EXPECT_EQ(memo.find(key(1, added)), nullptr) << "and finding nothing ends";
}

TEST(TextMemo, ForgetsEverythingOnceItHoldsTooMuch) {
  TextMemo memo(10'000);
  memo.begin();
  ASSERT_TRUE(add(memo, key(1, 0), std::string(10'001, 'a')));
  EXPECT_FALSE(add(memo, key(1, 1), "b"));
  EXPECT_EQ(name_of(memo, key(1, 0)).size(), 10'001u) << "until the next answer";
  memo.begin();
  EXPECT_EQ(name_of(memo, key(1, 0)), "?");
  EXPECT_TRUE(add(memo, key(1, 1), "b"));
  EXPECT_EQ(memo.memory.bytes(), 1u);
}

TEST(TextMemo, ForgetsEverythingRatherThanLetItsTableGrowTooLarge) {
  TextMemo memo(64 * sizeof(KnownText));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    memo.begin();
    ASSERT_TRUE(add(memo, key(1, i), "")) << i;
  }
  EXPECT_EQ(name_of(memo, key(1, 999)), "");
  EXPECT_EQ(name_of(memo, key(1, 0)), "?");
}

TEST(TextMemory, HandsOutTextsOfAnySizeThatStay) {
  TextMemory memory;
  std::vector<std::pair<char*, std::size_t>> taken;
  for (std::size_t size = 0; size < 3'000; ++size) {
    char* const text = memory.take(size + 10);
    memory.trim(10);
    std::fill_n(text, size, static_cast<char>(size));
    taken.emplace_back(text, size);
  }
  for (const auto& [text, size] : taken)
    ASSERT_EQ(std::string_view(text, size), std::string(size, static_cast<char>(size)));
  EXPECT_EQ(memory.bytes(), 3'000u * 2'999 / 2);
  memory.clear();
  EXPECT_EQ(memory.bytes(), 0u);
}

}  // namespace
}  // namespace symcached::symcache
