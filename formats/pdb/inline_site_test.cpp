#include "formats/pdb/inline_site.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/assembler.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pdb {
namespace {

using Program = std::vector<std::uint8_t>;

Bytes bytes_of(const Program& program) { return std::as_bytes(std::span(program)); }

/// `start-end:line`, then `@file` and `,column` where they are given; or what is wrong.
std::string run(const Program& program, std::uint32_t function_size = 0x100) {
  std::vector<InlineRange> ranges;
  const auto ok = read_inline_ranges(bytes_of(program), function_size, ranges);
  if (!ok)
    return std::string(ok.error().kind == ReadError::Kind::truncated ? "cut: " : "bad: ") +
           std::string(ok.error().field);
  std::string out;
  for (const InlineRange& r : ranges) {
    out += fmt::format("{}{:x}-{:x}:{}", out.empty() ? "" : " ", r.start, r.end, r.line_delta);
    if (r.file != kFileOfInlinee) out += fmt::format("@{}", r.file);
    if (r.column != 0) out += fmt::format(",{}", r.column);
  }
  return out;
}

TEST(InlineSite, RangesAsMicrosoftReadsThem) {  // docs/formats/pdb.md, section 6
  struct Row {
    std::string_view why;
    Program program;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", {}, ""},
      {"an end alone", {0}, ""},
      {"open until the function's end", {3, 4}, "4-100:0"},
      {"open until the next one", {3, 4, 3, 4, 3, 8}, "4-8:0 8-10:0 10-100:0"},
      {"closed by a length, which moves the offset to the end", {3, 4, 4, 6, 3, 2, 4, 1}, "4-a:0 c-d:0"},
      {"a length closes one range only", {3, 4, 4, 6, 4, 6, 3, 1}, "4-a:0 11-100:0"},
      {"offset and line at once", {0xB, 0x24}, "4-100:1"},
      {"offset and line at once, backwards", {0xB, 0x34}, "4-100:-1"},
      {"length and offset: the offset stays at the start", {0xC, 6, 4, 3, 8, 4, 1}, "4-a:0 c-d:0"},
      {"length and offset close what was open", {3, 2, 0xC, 6, 4}, "2-6:0 6-c:0"},
      {"a longer length is cut where the next range starts", {0xC, 0x20, 4, 3, 8}, "4-c:0 c-100:0"},
      {"a line before the first range", {6, 4, 3, 4}, "4-100:2"},
      {"a line after the first range counts from the next", {3, 4, 6, 4, 3, 4}, "4-8:0 8-100:2"},
      {"lines add up", {6, 4, 6, 3, 3, 4}, "4-100:1"},
      {"files", {3, 4, 5, 24, 3, 4}, "4-8:0 8-100:0@24"},
      {"columns", {9, 7, 3, 4}, "4-100:0,7"},
      {"what only says where a statement ends", {7, 1, 8, 1, 10, 1, 13, 1, 3, 4}, "4-100:0"},
      {"an offset as such", {1, 0x10, 3, 4}, "14-100:0"},
      {"two ranges at one place: the later one", {3, 4, 3, 0, 4, 2}, "4-6:0"},
      {"empty", {3, 4, 4, 0}, ""},
      {"past the function's end", {3, 0x81, 0x00}, ""},
      {"cut at the function's end", {3, 4, 4, 0x82, 0x00}, "4-100:0"},
      {"in separated code", {2, 1, 3, 4, 4, 4, 2, 0, 3, 4}, "c-100:0"},
      {"nothing counts after the end", {3, 4, 4, 4, 0, 3, 4}, "4-8:0"},
      {"not in order", {1, 0x20, 3, 0, 4, 4, 1, 0x10, 3, 0, 4, 4}, "10-14:0 20-24:0"},
      {"overlapping: the one that starts later", {0xC, 0x20, 4, 1, 0, 0xC, 8, 8}, "4-8:0 8-10:0"},
  };
  for (const Row& r : rows) EXPECT_EQ(run(r.program), r.want) << r.why;
}

TEST(InlineSite, Numbers) {
  struct Row {
    std::string_view why;
    Program program;
    std::string_view want;
  };
  const Row rows[] = {
      {"one byte", {3, 0x7F, 4, 1}, "7f-80:0"},
      {"two bytes", {3, 0x80, 0x80, 4, 1}, "80-81:0"},
      {"two bytes, the most", {3, 0xBF, 0xFF, 4, 1}, "3fff-4000:0"},
      {"four bytes", {3, 0xC0, 0x01, 0x00, 0x00, 4, 1}, "10000-10001:0"},
      {"four bytes, the most", {3, 0xDF, 0xFF, 0xFF, 0xFF, 4, 1}, "1fffffff-20000000:0"},
      {"a line of four bytes", {6, 0xC0, 0x02, 0x00, 0x01, 3, 0, 4, 1}, "0-1:-65536"},
      {"no such number", {3, 0xE0, 0, 0, 0}, "cut: pdb.inline_site.annotation"},
      {"cut in two bytes", {3, 0x80}, "cut: pdb.inline_site.annotation"},
      {"cut in four bytes", {3, 0xC0, 0, 0}, "cut: pdb.inline_site.annotation"},
      {"cut before the number", {3}, "cut: pdb.inline_site.annotation"},
      {"cut in the second number", {0xC, 4}, "cut: pdb.inline_site.annotation"},
      {"no such instruction", {14, 1}, "bad: pdb.inline_site.annotation"},
      {"an instruction of four bytes", {0xC0, 0, 0, 14}, "bad: pdb.inline_site.annotation"},
      {"a number that is no instruction", {0xFF}, "cut: pdb.inline_site.annotation"},
  };
  for (const Row& r : rows) EXPECT_EQ(run(r.program, 0xFFFFFFFF), r.want) << r.why;
}

TEST(InlineSite, AppendsToWhatIsThere) {
  std::vector<InlineRange> ranges{{.start = 50, .end = 60}};
  const Program program{3, 1, 4, 1};
  ASSERT_TRUE(read_inline_ranges(bytes_of(program), 0x100, ranges));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].start, 50u) << "ranges of other sites stay where they are";
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(PdbFuzzCorpus, AnnotationPrograms) {
  const auto input = [](std::string_view name, const Program& program) {
    return testkit::StoredInput{name, testkit::Section().u32(0x100).bytes(bytes_of(program)).finish()};
  };
  const testkit::StoredInput inputs[] = {
      input("msvc.bin", {0xC, 0x0E, 0x0D, 6, 3, 5, 8, 0xB, 0x24, 3, 4, 0xC, 2, 0x80, 0x80, 0}),
      input("clang.bin", {6, 2, 3, 4, 0xB, 0x24, 4, 8, 0, 0}),
      input("all.bin", {1, 1, 2, 0, 7, 1, 8, 1, 9, 1, 10, 1, 13, 1, 3, 0xC0, 0, 0, 1}),
  };
  testkit::expect_stored("formats/pdb/fuzz_corpus/inline_site_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::pdb
