#include "base/json_text.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

using namespace std::string_view_literals;

TEST(JsonText, IsQuotedAndEscaped) {
  struct Row {
    std::string_view why, text, want;
  };
  const Row rows[] = {
      {"empty", "", R"("")"},
      {"plain", "std::vector<int>::at(unsigned long) const", R"("std::vector<int>::at(unsigned long) const")"},
      {"backslashes", R"(c:\a\b\c\d\e\f)", R"("c:\\a\\b\\c\\d\\e\\f")"},
      {"a quote at each place of eight", R"(a"bb"ccc"dddd"eeeee"ffffff"ggggggg")",
       R"("a\"bb\"ccc\"dddd\"eeeee\"ffffff\"ggggggg\"")"},
      {"control characters", "a\n\x1f\0b"sv, R"("a\u000a\u001f\u0000b")"},
      {"DEL stands for itself", "\x7f", "\"\x7f\""},
      {"UTF-8", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x90\x9B", "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x90\x9B\""},
      {"no UTF-8", "a\xFF\xC3(\xED\xA0\x80", "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"cut short", "abcdefgh\xE2\x82", "\"abcdefgh\xEF\xBF\xBD\xEF\xBF\xBD\""},
  };
  for (const Row& r : rows) {
    std::string out = "x";
    append_json_text(r.text, out);
    EXPECT_EQ(out, "x" + std::string(r.want)) << r.why;
  }
}

TEST(JsonText, FindsASpecialCharacterAnywhere) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    text[at] = '"';
    std::string want(40, 'a');
    want.replace(at, 1, "\\\"");
    std::string out;
    append_json_text(text, out);
    EXPECT_EQ(out, '"' + want + '"') << at;
  }
}

}  // namespace
}  // namespace symcached
