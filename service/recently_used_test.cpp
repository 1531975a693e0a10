#include "service/recently_used.hpp"

#include <gtest/gtest.h>

namespace symcached::service {
namespace {

constexpr std::uint64_t kOne = RecentlyUsed<int>::kOverhead + 1;  ///< what a name of one letter and no bytes takes

TEST(RecentlyUsed, DropsWhatWasNotUsedForLongest) {
  RecentlyUsed<int> memory(3 * kOne + 2);
  for (const auto& [name, value] : {std::pair{"a", 1}, {"b", 2}, {"c", 3}}) memory.put(name, value, 0);
  EXPECT_EQ(memory.find("a"), 1);
  memory.put("d", 4, 0);
  EXPECT_FALSE(memory.find("b"));
  EXPECT_EQ(memory.find("a"), 1);
  memory.put("a", 5, 2);  // replaced, and larger
  EXPECT_EQ(memory.find("a"), 5);
  EXPECT_EQ(memory.bytes(), 3 * kOne + 2);
  memory.put("e", 6, 0);
  EXPECT_FALSE(memory.find("c"));
}

TEST(RecentlyUsed, KeepsNothingBeyondItsBudget) {
  RecentlyUsed<int> memory(kOne);
  memory.put("a", 1, 0);
  memory.put("a", 2, 1);  // too large: what it replaced is gone all the same
  EXPECT_FALSE(memory.find("a"));
  EXPECT_EQ(memory.bytes(), 0u);
}

}  // namespace
}  // namespace symcached::service
