#include "base/hex.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(Hex, DigitsAreReadAsTheyAreWritten) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0x7f}, std::byte{0xab}};
  EXPECT_EQ(to_hex(bytes), "007fab");
  EXPECT_EQ(parse_hex("007fab"), bytes);
  EXPECT_EQ(parse_hex("007FaB"), bytes);
  EXPECT_EQ(parse_hex(""), std::vector<std::byte>());
  for (const std::string_view bad : {"0", "007", "0g", "0x12", " 00"}) EXPECT_FALSE(parse_hex(bad)) << bad;
}

}  // namespace
}  // namespace symcached
