#include "object/text/translate_breakpad.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ids/breakpad_id.hpp"
#include "object/text/describe_breakpad.hpp"
#include "testing/checking_sink.hpp"
#include "testing/model_text.hpp"
#include "testing/packed/zip_file.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/text/breakpad_text.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;

FileInfo describe(Bytes file) {
  FileInfo info;
  describe_breakpad(info, file);
  return info;
}

std::vector<std::string> translated(std::string_view text) {
  ModelText sink;
  const auto done = translate_breakpad({.file = as_bytes(text)}, sink);
  if (!done) return {"error " + std::string(done.error().field)};
  return sink.text();
}

std::vector<std::string> of_records(std::string_view records) {
  return translated(
      "MODULE Linux x86_64 0 a\nFILE 1 a.c\nFILE 2 b.h\nINLINE_ORIGIN 1 one\nINLINE_ORIGIN 2 two\n"
      "INLINE_ORIGIN 3 three\n" +
      std::string(records));
}

TEST(FromBreakpad, AFileWithAllRecords) {
  EXPECT_THAT(
      translated(testkit::kRichSymbols),
      ElementsAre("1000+40 main | 0 c:\\src\\main.cpp:10"
                  " | 8 /src/with blanks.h:80 inner(int) < /src/with blanks.h:70 outer<int, int> < c:\\src\\main.cpp:12"
                  " | c /src/with blanks.h:71 outer<int, int> < c:\\src\\main.cpp:12"
                  " | 18 -"
                  " | 20 /src/far.h:72 outer<int, int> < c:\\src\\main.cpp:12"
                  " | 22 /src/far.h:72 inner(int) < /src/with blanks.h:70 outer<int, int> < c:\\src\\main.cpp:12"
                  " | 24 /src/far.h:72 outer<int, int> < c:\\src\\main.cpp:12"
                  " | 28 c:\\src\\main.cpp:13"
                  " | 30 /src/with blanks.h:81 inner(int) < c:\\src\\main.cpp:14"
                  " | 34 -"
                  " | 38 c:\\src\\main.cpp:15"
                  " | 3c -",
                  "1040+10 folded() const | 0 c:\\src\\main.cpp:2", "1040+10 alias public", "1050+20 old | 0 :5",
                  "2000+10 first public public", "2010+20 second public(void) public"));
}

TEST(FromBreakpad, LinesAndCalls) {
  struct Row {
    std::string_view why, records, want;
  };
  const Row rows[] = {
      {"no lines", "FUNC 10 8 0 f\n", "10+8 f"},
      {"no name", "FUNC 10 8 0\n", "10+8 "},
      {"lines in any order", "FUNC 10 8 0 f\n14 4 2 1\n10 4 1 1\n", "10+8 f | 0 a.c:1 | 4 a.c:2"},
      {"a gap", "FUNC 10 8 0 f\n10 2 1 1\n14 2 2 1\n", "10+8 f | 0 a.c:1 | 2 - | 4 a.c:2 | 6 -"},
      {"lines before the first", "FUNC 10 8 0 f\n14 4 1 1\n", "10+8 f | 4 a.c:1"},
      {"one line in two records", "FUNC 10 8 0 f\n10 4 1 1\n14 4 1 1\n", "10+8 f | 0 a.c:1"},
      {"an empty line", "FUNC 10 8 0 f\n10 0 9 1\n10 8 1 1\n", "10+8 f | 0 a.c:1"},
      {"two lines for a byte", "FUNC 10 8 0 f\n10 6 1 1\n12 6 2 1\n", "10+8 f | 0 a.c:1 | 6 a.c:2"},
      {"a line in another", "FUNC 10 8 0 f\n10 8 1 1\n12 2 2 1\n", "10+8 f | 0 a.c:1"},
      {"outside the function", "FUNC 10 8 0 f\n0 14 1 1\n14 40 2 1\n30 4 3 1\n", "10+8 f | 0 a.c:1 | 4 a.c:2"},
      {"an unknown file", "FUNC 10 8 0 f\n10 8 1 77\n", "10+8 f | 0 :1"},
      {"a line too large to be one", "FUNC 10 8 0 f\n10 8 16777216 1\n", "10+8 f | 0 a.c:0"},
      {"line 0", "FUNC 10 8 0 f\n10 8 0 1\n", "10+8 f | 0 a.c:0"},
      {"a line before all functions", "10 8 1 1\nFUNC 10 8 0 f\n", "10+8 f"},
      {"a line after other records", "FUNC 10 8 0 f\nSTACK CFI INIT 10 8 x\nFILE 9 c\n10 8 1 9\n", "10+8 f | 0 c:1"},
      {"a file named later", "FUNC 10 8 0 f\n10 8 1 9\nFILE 9 c\n", "10+8 f | 0 c:1"},
      {"a call", "FUNC 10 8 0 f\nINLINE 0 5 1 1 12 2\n10 8 7 2\n", "10+8 f | 0 b.h:7 | 2 b.h:7 one < a.c:5 | 4 b.h:7"},
      {"a call without lines", "FUNC 10 8 0 f\nINLINE 0 5 1 1 12 2\n", "10+8 f | 2 - one < a.c:5 | 4 -"},
      {"callers after callees", "FUNC 10 8 0 f\nINLINE 1 6 2 2 10 8\nINLINE 0 5 1 1 10 8\n10 8 7 2\n",
       "10+8 f | 0 b.h:7 two < b.h:6 one < a.c:5"},
      {"ordered by address and not by caller",
       "FUNC 10 8 0 f\nINLINE 0 5 1 1 10 2 14 4\nINLINE 0 6 1 2 12 2\nINLINE 1 7 1 3 14 2\n10 8 7 2\n",
       "10+8 f | 0 b.h:7 one < a.c:5 | 2 b.h:7 two < a.c:6 | 4 b.h:7 three < a.c:7 one < a.c:5"
       " | 6 b.h:7 one < a.c:5"},
      {"wider than its caller", "FUNC 10 8 0 f\nINLINE 0 5 1 1 12 2\nINLINE 1 6 2 2 10 8\n10 8 7 2\n",
       "10+8 f | 0 b.h:7 | 2 b.h:7 two < b.h:6 one < a.c:5 | 4 b.h:7"},
      {"one call with two callers",
       "FUNC 10 8 0 f\nINLINE 0 5 1 1 10 4\nINLINE 0 6 1 2 14 4\nINLINE 1 7 1 3 10 8\n10 8 7 2\n",
       "10+8 f | 0 b.h:7 three < a.c:7 one < a.c:5 | 4 b.h:7 three < a.c:7 two < a.c:6"},
      {"no caller", "FUNC 10 8 0 f\nINLINE 1 6 2 2 10 8\n10 8 7 2\n", "10+8 f | 0 b.h:7"},
      {"two calls of one depth", "FUNC 10 8 0 f\nINLINE 0 5 1 1 10 6\nINLINE 0 6 1 2 12 6\n10 8 7 2\n",
       "10+8 f | 0 b.h:7 one < a.c:5 | 6 b.h:7 two < a.c:6"},
      {"an unknown origin and file", "FUNC 10 8 0 f\nINLINE 0 5 9 9 10 8\n10 8 7 2\n", "10+8 f | 0 b.h:7  < :5"},
      {"deeper than there can be", "FUNC 10 8 0 f\nINLINE 4294967295 5 1 1 10 8\n10 8 7 2\n", "10+8 f | 0 b.h:7"},
      {"a call before all functions", "INLINE 0 5 1 1 10 8\nFUNC 10 8 0 f\n", "10+8 f"},
      {"a range that cannot be read", "FUNC 10 8 0 f\nINLINE 0 5 1 1 10\n", "error breakpad.inline.size"},
      {"a record that cannot be read", "FUNC 10 8 0 f\n10 8\n", "error breakpad.line.line"},
  };
  for (const Row& r : rows) EXPECT_THAT(of_records(r.records), ElementsAre(r.want)) << r.why;
}

TEST(FromBreakpad, PublicsReachToTheNextAddress) {
  struct Row {
    std::string_view why, records;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"another public", "PUBLIC 20 0 b\nPUBLIC 10 0 a\n", {"10+10 a public", "20+fe0 b public"}},
      {"a function", "PUBLIC 10 0 a\nFUNC 18 8 0 f\n", {"10+8 a public", "18+8 f"}},
      {"inside a function", "FUNC 10 10 0 f\nPUBLIC 14 0 a\n", {"10+10 f"}},
      {"inside a function around another", "FUNC 10 40 0 f\nFUNC 20 4 0 g\nPUBLIC 30 0 a\n", {"10+40 f", "20+4 g"}},
      {"between functions", "FUNC 10 8 0 f\nPUBLIC 18 0 a\nFUNC 20 8 0 g\n", {"10+8 f", "18+8 a public", "20+8 g"}},
      {"a function under another name", "FUNC 10 8 0 f\nPUBLIC 10 0 a\n", {"10+8 f", "10+8 a public"}},
      {"a function under its name", "FUNC 10 8 0 f\nPUBLIC 10 0 f\n", {"10+8 f"}},
      {"two at one address",
       "PUBLIC 10 0 a\nPUBLIC 10 0 b\nPUBLIC 14 0 c\n",
       {"10+4 a public", "10+4 b public", "14+fec c public"}},
      {"the last, with unwind rules", "PUBLIC 10 0 a\nSTACK CFI INIT 8 40 x\n", {"10+38 a public"}},
      {"the last, behind all rules", "PUBLIC 1010 0 a\nSTACK CFI INIT 8 40 x\n", {"1010+ff0 a public"}},
      {"the last byte there is", "PUBLIC ffffffffffffffff 0 a\n", {"ffffffffffffffff+1 a public"}},
      {"a function without size", "FUNC 10 0 0 f\n10 4 1 1\nFUNC 18 8 0 g\n", {"10+8 f public", "18+8 g"}},
      {"far apart",
       "PUBLIC 10 0 a\nPUBLIC 200000000 0 b\nSTACK WIN 4 200000000 8 0\n",
       {"10+ffffffff a public", "200000000+8 b public"}},
      {"two functions at one address", "FUNC 10 8 0 f\nFUNC 10 8 0 g\n", {"10+8 f", "10+8 g"}},
      {"a function over the end", "FUNC fffffffffffffff8 ffffffff 0 f\n", {"fffffffffffffff8+7 f"}},
  };
  for (const Row& r : rows) EXPECT_EQ(of_records(r.records), r.want) << r.why;
}

TEST(FromBreakpad, TheModule) {
  ModelText sink;
  ASSERT_TRUE(translate_breakpad({.file = as_bytes(testkit::kRichSymbols)}, sink));
  EXPECT_EQ(sink.module().arch, model::Arch::x86_64);
  EXPECT_EQ(sink.module().debug_id.breakpad(), "3249D99D0C4049318610F4E4FB0B69361a");
  EXPECT_EQ(sink.module().debug_file, "a program.pdb");
  EXPECT_EQ(sink.module().producer_kind, "breakpad");
}

TEST(FromBreakpad, Ids) {
  struct Row {
    std::string_view id, want;
  };
  const Row rows[] = {
      {"C0BCC3F19827FE653058404B2831D9E60", "c0bcc3f1-9827-fe65-3058-404b2831d9e6"},
      {"3249D99D0C4049318610F4E4FB0B693612", "3249d99d-0c40-4931-8610-f4e4fb0b6936-12"},
      {"3249d99d0c4049318610f4e4fb0b6936ffffffff", "3249d99d-0c40-4931-8610-f4e4fb0b6936-ffffffff"},
      {"3249D99D0C4049318610F4E4FB0B6936", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"3249D99D0C4049318610F4E4FB0B693", "none"},
      {"3249D99D0C4049318610F4E4FB0B6936100000000", "none"},
      {"3249D99D0C4049318610F4E4FB0B6936x", "none"},
      {"x249D99D0C4049318610F4E4FB0B69361", "none"},
      {"5AB380771", "none"},
  };
  for (const Row& r : rows) {
    const auto id = parse_breakpad_id(r.id);
    EXPECT_EQ(id ? id->dashed() : "none", r.want) << r.id;
  }
}

TEST(FromBreakpad, Architectures) {
  using model::Arch;
  const std::pair<std::string_view, Arch> rows[] = {
      {"x86", Arch::x86},      {"x86_64", Arch::x86_64},   {"x86_64h", Arch::x86_64}, {"amd64", Arch::x86_64},
      {"arm", Arch::arm},      {"armv7s", Arch::arm},      {"arm64", Arch::arm64},    {"arm64e", Arch::arm64},
      {"ARM64", Arch::arm64},  {"aarch64", Arch::arm64},   {"ppc", Arch::unknown},    {"ppc64", Arch::ppc64},
      {"mips", Arch::unknown}, {"unknown", Arch::unknown}, {"", Arch::unknown},
  };
  for (const auto& [word, want] : rows) EXPECT_EQ(name_of(arch_of_breakpad(word)), name_of(want)) << word;
}

TEST(DescribeBreakpad, TellsWhatIsThere) {
  const FileInfo info = describe(as_bytes(testkit::kRichSymbols));
  EXPECT_EQ(info.debug_id->dashed(), "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a");
  EXPECT_EQ(info.code_id, "5AB380779000");
  EXPECT_EQ(info.debug_file, "a program.pdb");
  EXPECT_THAT(info.features, ElementsAre("symbols", "publics", "lines", "inlines", "unwind"));
  EXPECT_FALSE(info.error);
  const FileInfo unix_file = describe(as_bytes("MODULE Linux arm64 0 a\nINFO CODE_ID F1C3BCC0\nFUNC x\n"));
  EXPECT_EQ(unix_file.code_id, "f1c3bcc0");
  ASSERT_TRUE(unix_file.error);
  EXPECT_EQ(unix_file.error->field, "breakpad.func.address");
}

TEST(FromBreakpad, NonsenseKeepsTheModelsPromises) {
  testkit::CheckingSink sink;
  EXPECT_TRUE(translate_breakpad({.file = as_bytes(testkit::kNonsenseSymbols)}, sink));
  EXPECT_GT(sink.functions, 1u);
}

/// Each range of the outer calls makes all calls inside it new ones.
TEST(FromBreakpad, CallsThatChangeTheirCallersAreRefused) {
  std::string text = "MODULE Linux x86_64 0 a\n";
  for (int f = 0; f < 8; ++f) {
    text += fmt::format("FUNC {:x} 10000 0 f\n", f * 0x10000);
    for (int call = 1; call <= 2; ++call) {
      text += fmt::format("INLINE 0 {} 0 0", call);
      for (int i = call; i < 4000; i += 2) text += fmt::format(" {:x} 1", f * 0x10000 + i);
      text += "\n";
    }
    for (int depth = 1; depth < 250; ++depth) text += fmt::format("INLINE {} 1 0 0 {:x} 10000\n", depth, f * 0x10000);
  }
  testkit::CheckingSink sink;
  const auto done = translate_breakpad({.file = as_bytes(text)}, sink);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().field, "breakpad.work");
  EXPECT_LE(sink.rows + sink.inlinees, 2 * text.size() + (1u << 16));
}

TEST(FromBreakpad, RealCallsAreWithinTheBudget) {  // a row in each of eight calls, and small functions
  std::string text = "MODULE Linux x86_64 0 a\nFILE 1 a.c\nINLINE_ORIGIN 1 one\n";
  for (int f = 0; f < 3000; ++f) {
    text += fmt::format("FUNC {:x} 100 0 f\n", f * 0x100);
    for (int depth = 0; depth < 8; ++depth) text += fmt::format("INLINE {} 1 1 1 {:x} 80\n", depth, f * 0x100 + depth);
    for (int i = 0; i < 8; ++i) text += fmt::format("{:x} 4 {} 1\n", f * 0x100 + 4 * i, i);
  }
  testkit::CheckingSink sink;
  ASSERT_TRUE(translate_breakpad({.file = as_bytes(text)}, sink));
  EXPECT_EQ(sink.inlinees, 8u * 3000);
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(FromBreakpadFuzzCorpus, IsWhatTheTestsHold) {
  const testkit::StoredInput inputs[] = {
      {"rich.sym", testkit::to_bytes(testkit::kRichSymbols)},
      {"nonsense.sym", testkit::to_bytes(testkit::kNonsenseSymbols)},
  };
  testkit::expect_stored("object/text/fuzz_corpus/translate_breakpad_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
