#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(Ascii, LowersLettersAlone) { EXPECT_EQ(lower_ascii("AZaz09@[`{\xc3\x84"), "azaz09@[`{\xc3\x84"); }

TEST(Ascii, HexDigits) {
  for (int c = -128; c < 128; ++c) {
    const std::size_t at = std::string_view("0123456789abcdef").find(lower_ascii(static_cast<char>(c)));
    const auto want = at == std::string_view::npos ? std::nullopt : std::optional(static_cast<std::uint8_t>(at));
    EXPECT_EQ(hex_digit(static_cast<char>(c)), want) << c;
  }
}

}  // namespace
}  // namespace symcached
