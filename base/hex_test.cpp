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

TEST(Hex, NothingButDigits) {
  struct Row {
    std::string_view text;
    bool is_hex, is_lower;
  };
  const Row rows[] = {{"", true, true},      {"0", true, true},     {"09af", true, true}, {"09aF", true, false},
                      {"g", false, false},   {"0x1", false, false}, {" 1", false, false}, {"/:@`", false, false},
                      {"1-2", false, false}, {"\xe4", false, false}};
  for (const Row& r : rows) {
    EXPECT_EQ(is_hex(r.text), r.is_hex) << r.text;
    EXPECT_EQ(is_lower_hex(r.text), r.is_lower) << r.text;
  }
}

}  // namespace
}  // namespace symcached
