#include "symbolize/source_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace symcached::symbolize {
namespace {

using namespace std::string_view_literals;

TEST(SourceLines, AreThoseOfTheCompiler) {  // docs/source-context.md
  struct Row {
    std::string_view why, source;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"an empty file has no line", "", {}},
      {"an end at the end begins no line", "a\nb\n", {"a", "b"}},
      {"no end at the end", "a\nb", {"a", "b"}},
      {"empty lines", "\n\na", {"", "", "a"}},
      {"ends of each kind",
       "a\r\nb\rc\nd\xC2\x85"
       "e\xE2\x80\xA8"
       "f",
       {"a", "b", "c", "d", "e", "f"}},
      {"a byte order mark is no text",
       "\xEF\xBB\xBF"
       "a\n",
       {"a"}},
      {"UTF-16",
       "\xFF\xFE"
       "a\0\n\0\xE4\0"sv,
       {"a", "\xC3\xA4"}},
      {"UTF-16, the other way", "\xFE\xFF\0a\0\n\0b"sv, {"a", "b"}},
      {"not UTF-8",
       "a\xE4"
       "b\n",
       {"a\xEF\xBF\xBD"
        "b"}},
  };
  for (const Row& r : rows) {
    const SourceLines lines(as_bytes(r.source));
    std::vector<std::string> found;
    for (std::uint32_t i = 1; i <= lines.count(); ++i) found.emplace_back(lines.line(i));
    EXPECT_EQ(found, r.want) << r.why;
  }
}

}  // namespace
}  // namespace symcached::symbolize
