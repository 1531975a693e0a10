#include "base/uleb_cursor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace symcached {
namespace {

TEST(UlebCursor, ReadsSignedNumbersOfDwarf) {
  struct Row {
    std::string_view why;
    std::vector<std::uint8_t> bytes;
    std::int64_t want;
  };
  constexpr std::uint8_t kMore = 0x80;
  const Row rows[] = {
      {"zero", {0}, 0},
      {"the largest of one byte", {63}, 63},
      {"the smallest of one byte", {0x40}, -64},
      {"minus one", {0x7F}, -1},
      {"two bytes", {kMore | 64, 0}, 64},
      {"two bytes below zero", {kMore | 0x3F, 0x7F}, -65},
      {"padded", {kMore | 0x78, kMore | 0x7F, 0x7F}, -8},
      {"the smallest",
       {kMore, kMore, kMore, kMore, kMore, kMore, kMore, kMore, kMore, 0x7F},
       std::numeric_limits<std::int64_t>::min()},
  };
  for (const Row& r : rows) {
    const Bytes bytes = std::as_bytes(std::span(r.bytes));
    UlebCursor in(bytes, 0);
    EXPECT_EQ(in.sleb(), r.want) << r.why;
    EXPECT_FALSE(in.failed()) << r.why;
    EXPECT_TRUE(in.at_end()) << r.why;
    UlebCursor cut(bytes.first(bytes.size() - 1), 0);
    EXPECT_EQ(cut.sleb(), 0) << r.why;
    EXPECT_TRUE(cut.failed()) << r.why;
  }
  const std::vector<std::uint8_t> endless(11, kMore);
  UlebCursor in(std::as_bytes(std::span(endless)), 0);
  EXPECT_EQ(in.sleb(), 0);
  EXPECT_TRUE(in.failed());
}

}  // namespace
}  // namespace symcached
