/// Scopes of inlined calls over rows of lines.
#include "object/dwarf/inline_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace symcached::object {
namespace {

using model::kNoInlinee;

/// A call inlined into another one.
model::Inlinee call(std::uint32_t caller = kNoInlinee, std::uint32_t line = 1) {
  return {.caller = caller, .call_line = line};
}

/// `0:10 4:10>1 8:-`: offset, line, calls from the innermost out by the line of their call.
std::string text_of(const InlineRows& rows) {
  std::string out;
  for (const model::Line& line : rows.lines()) {
    out += fmt::format("{}{:x}:{}", out.empty() ? "" : " ", line.offset, line.line);
    for (std::uint32_t i = line.inlinee; i != kNoInlinee; i = rows.inlinees()[i].caller)
      out += fmt::format(">{}", rows.inlinees()[i].call_line);
  }
  return out;
}

dwarf::LineRow row(std::uint64_t address, std::uint32_t line, std::uint32_t column = 0) {
  return {.address = address, .file = 1, .line = line, .column = column, .end_sequence = false, .is_stmt = true};
}

TEST(InlineRows, LaysScopesOverRows) {
  struct Row {
    std::string_view why;
    std::vector<dwarf::LineRow> rows;
    std::vector<model::Inlinee> scopes;
    std::vector<ScopeRange> ranges;
    std::string_view want;  ///< for the code at 0x100 to 0x120
  };
  const std::vector<dwarf::LineRow> one = {row(0x100, 10)};
  const Row rows[] = {
      {"nothing known", {}, {}, {}, ""},
      {"rows alone", {row(0x100, 10), row(0x108, 11)}, {}, {}, "0:10 8:11"},
      {"a row that begins before", {row(0xF0, 9), row(0x110, 10)}, {}, {}, "0:9 10:10"},
      {"no row at the start", {row(0x104, 10)}, {}, {}, "4:10"},
      {"of rows at one address the last", {row(0x100, 1), row(0x100, 2), row(0x100, 3)}, {}, {}, "0:3"},
      {"rows that say the same", {row(0x100, 10), row(0x104, 10), row(0x108, 10, 7)}, {}, {}, "0:10 8:10"},
      {"rows behind the end", {row(0x100, 10), row(0x120, 11)}, {}, {}, "0:10"},
      {"scopes alone", {}, {call()}, {{0x104, 0x108, 0}}, "4:0>1 8:0"},
      {"a scope cuts a row", one, {call()}, {{0x104, 0x108, 0}}, "0:10 4:10>1 8:10"},
      {"a scope from start to end", one, {call()}, {{0x100, 0x120, 0}}, "0:10>1"},
      {"a scope larger than the function", one, {call()}, {{0x0, 0x200, 0}}, "0:10>1"},
      {"a scope before and one behind", one, {call(), call()}, {{0x80, 0x100, 0}, {0x120, 0x130, 1}}, "0:10"},
      {"nested",
       one,
       {call(), call(0, 2)},
       {{0x104, 0x110, 0}, {0x108, 0x10c, 1}},
       "0:10 4:10>1 8:10>2>1 c:10>1 10:10"},
      {"nested, with one start",
       one,
       {call(), call(0, 2)},
       {{0x104, 0x110, 0}, {0x104, 0x10c, 1}},
       "0:10 4:10>2>1 c:10>1 10:10"},
      {"nested, with one end",
       one,
       {call(), call(0, 2)},
       {{0x104, 0x110, 0}, {0x108, 0x110, 1}},
       "0:10 4:10>1 8:10>2>1 10:10"},
      {"touching",
       one,
       {call(), call(kNoInlinee, 2)},
       {{0x104, 0x108, 0}, {0x108, 0x10c, 1}},
       "0:10 4:10>1 8:10>2 c:10"},
      {"in pieces", one, {call()}, {{0x104, 0x108, 0}, {0x110, 0x114, 0}}, "0:10 4:10>1 8:10 10:10>1 14:10"},
      {"the one that starts last is innermost",
       one,
       {call(), call(kNoInlinee, 2)},
       {{0x104, 0x110, 0}, {0x108, 0x118, 1}},
       "0:10 4:10>1 8:10>2 18:10"},
      {"a callee that outlives its caller",
       one,
       {call(), call(0, 2)},
       {{0x104, 0x108, 0}, {0x106, 0x10c, 1}},
       "0:10 4:10>1 6:10>2>1 c:10"},
      {"a callee outside of its caller", one, {call(), call(0, 2)}, {{0x110, 0x114, 1}}, "0:10 10:10>2>1 14:10"},
  };
  InlineRows built;
  for (const Row& r : rows) {
    built.build(0x100, 0x120, r.rows, r.scopes, r.ranges);
    EXPECT_EQ(text_of(built), r.want) << r.why;
  }
}

TEST(InlineRows, KeepsOnlyCallsThatHoldCode) {
  const std::vector<model::Inlinee> scopes = {call(), call(0, 2), call(0, 3), call(2, 4)};
  const std::vector<ScopeRange> ranges = {{0x100, 0x104, 3}, {0x200, 0x204, 1}};
  InlineRows rows;
  rows.build(0x100, 0x120, {}, scopes, ranges);
  ASSERT_EQ(rows.inlinees().size(), 3u);  // 0, 2 and 3: callers first
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rows.inlinees()[i].caller, i == 0 ? kNoInlinee : i - 1);
  EXPECT_EQ(text_of(rows), "0:0>4>3>1 4:0");
}

TEST(InlineRows, FunctionsOf4GiB) {
  InlineRows rows;
  const std::vector<dwarf::LineRow> lines = {row(0, 1), row(0xFFFFFFFE, 2)};
  rows.build(0, 0xFFFFFFFF, lines, {}, {});
  EXPECT_EQ(text_of(rows), "0:1 fffffffe:2");
}

}  // namespace
}  // namespace symcached::object
