#include "object/text/translate_perf_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/model_text.hpp"
#include "testing/packed/zip_file.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kSmallMap =
    "3ef414c0 398 LazyCompile:~run /app/main.js:10\n"
    "00007F4B8C0D0000 5c void [App] Program::Main(string[])\n"
    "0x3ef42000 0x40 Ljava/lang/String;::hashCode\n";

std::vector<std::string> translated(std::string_view text) {
  ModelText sink;
  if (!translate_perf_map({.file = as_bytes(text)}, sink)) return {"error"};
  EXPECT_EQ(sink.module().producer_kind, "perf_map");
  return sink.text();
}

TEST(PerfMap, IsKnownByItsFirstLines) {
  const std::string long_map = [] {
    std::string text;
    for (int i = 0; i < 400; ++i) text += fmt::format("{:x} 10 function number {}\n", 0x7f0000000000 + i * 16, i);
    return text + "no line\n";
  }();
  struct Row {
    std::string_view why, text;
    bool want;
  };
  const Row rows[] = {
      {"a map", kSmallMap, true},
      {"one line", "7f0000001000 10 f", true},
      {"only the first part is looked at", long_map, true},
      {"the last line cut", "7f0000001000 10 f\n7f0000", true},
      {"the only line cut", "7f0000001000 1", false},
      {"a line of something else", "7f0000001000 10 f\nhello\n7f0000002000 10 g\n", false},
      {"lines of a symbol file are in page 0", "10 8 59 4\n", false},
      {"prose", "1 2 buckle my shoe\n", false},
      {"a dump of bytes", "7f0000001000 10 \x01\x02\n", false},
      {"a blank line", "\n", false},
      {"nothing", "", false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(is_perf_map(as_bytes(r.text)), r.want) << r.why;
    EXPECT_EQ(is_perf_map(as_bytes(r.text)), r.want) << r.why;
  }
}

TEST(PerfMap, EachLineIsAFunction) {
  EXPECT_THAT(translated(kSmallMap),
              ElementsAre("3ef414c0+398 LazyCompile:~run /app/main.js:10", "3ef42000+40 Ljava/lang/String;::hashCode",
                          "7f4b8c0d0000+5c void [App] Program::Main(string[])"));
}

TEST(PerfMap, LinesOfOtherShapesAreLeftOut) {
  struct Row {
    std::string_view why, text;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"CR LF and blanks behind", "2000 10 f \r\n", {"2000+10 f"}},
      {"the last line cut", "2000 10 f\n3000 1", {"2000+10 f"}},
      {"two lines run into one another", "2000 10 f\n30004000 10\n5000 10 g\n", {"2000+10 f", "5000+10 g"}},
      {"no bytes", "2000 0 f\n", {}},
      {"over the end", "ffffffffffffffff 10 f\n", {}},
      {"more than 4 GiB", "2000 200000000 f\n", {"2000+ffffffff f"}},
      {"newer code at the same place", "2000 10 f\n2000 10 g\n", {"2000+10 g"}},
      {"newer code over several", "2000 10 f\n2010 10 g\n2020 10 h\n2008 10 new\n", {"2008+10 new", "2020+10 h"}},
      {"newer code inside older", "2000 40 f\n2010 10 g\n", {"2010+10 g"}},
      {"side by side", "2010 10 g\n2000 10 f\n", {"2000+10 f", "2010+10 g"}},
      {"what was overwritten stays away", "2000 10 a\n2008 10 b\n2010 10 c\n", {"2010+10 c"}},
  };
  for (const Row& r : rows) EXPECT_EQ(translated(r.text), r.want) << r.why;
  EXPECT_THAT(translated(""), IsEmpty());
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(FromPerfMapFuzzCorpus, IsWhatTheTestsHold) {
  const testkit::StoredInput inputs[] = {
      {"small.map", testkit::to_bytes(kSmallMap)},
      {"overlapping.map", testkit::to_bytes("2000 10 f\n2010 10 g\n2020 10 h\n2008 10 new\nffffffffffffffff 1 x\n3 ")},
  };
  testkit::expect_stored("object/text/fuzz_corpus/translate_perf_map_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
