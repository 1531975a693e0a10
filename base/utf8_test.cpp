#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(Utf8, EveryCharacterIsReadBack) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code == 0xD800) code = 0xE000;  // surrogates are no characters
    std::string text;
    append_utf8(text, code);
    ASSERT_EQ(utf8_length(text), text.size()) << static_cast<unsigned>(code);
    ASSERT_EQ(utf8_length(text + "a"), text.size()) << static_cast<unsigned>(code);
    for (std::size_t cut = 1; cut < text.size(); ++cut)
      ASSERT_EQ(utf8_length(text.substr(0, cut)), 0u) << static_cast<unsigned>(code);
  }
}

TEST(Utf8, WhatIsNoCharacter) {
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(utf8_length(text), 0u) << text;
}

TEST(Utf8, WhatATerminalOrJsonMayNotGet) {
  struct Row {
    std::string_view why, text, escaped, valid;
  };
  const Row rows[] = {
      {"nothing", "", "", ""},
      {"plain", "a \"b\" gr\xC3\xBC\xC3\x9F", "a \"b\" gr\xC3\xBC\xC3\x9F", "a \"b\" gr\xC3\xBC\xC3\x9F"},
      {"escape and delete", "\x1B[2J\x7F", "\\x1b[2J\\x7f", "\x1B[2J\x7F"},
      {"control of two bytes", "\xC2\x9B\x34m", "\\xc2\\x9b4m", "\xC2\x9B\x34m"},
      {"no UTF-8", "a\xFF\xE2\x82z", "a\\xff\\xe2\\x82z", "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(escaped(r.text), r.escaped) << r.why;
    EXPECT_EQ(valid_utf8(r.text), r.valid) << r.why;
  }
}

}  // namespace
}  // namespace symcached
