#include "formats/pdb/c13.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/pdb/codeview_records.hpp"

namespace symcached::pdb {
namespace {

using testkit::Section;
using testkit::Subsections;

/// `offset:line@file` and `,column`, each row of the first table; or the field that is wrong.
std::string rows_of(const Subsections& subsections) {
  const auto bytes = subsections.finish();
  C13 c13;
  if (const auto ok = c13.read(bytes); !ok) return std::string(ok.error().field);
  std::vector<LineRow> rows;
  if (c13.lines.empty()) return "none";
  if (const auto ok = read_rows(c13.lines[0], rows); !ok) return std::string(ok.error().field);
  std::string out;
  for (const LineRow& r : rows) {
    out += fmt::format("{}{:x}:{}@{}", out.empty() ? "" : " ", r.offset, r.line, r.file);
    if (r.column != 0) out += fmt::format(",{}", r.column);
  }
  return out;
}

TEST(C13, LineTables) {
  const auto raw = [](const Section& body) { return Subsections().subsection(SubsectionKind::lines, body); };
  const auto head = [] { return Section().u32(0).u16(1).u16(0).u32(0x20); };
  struct Row {
    std::string_view why;
    Subsections bytes;
    std::string_view want;
  };
  const Row rows[] = {
      {"one block", Subsections().lines({1, 0}, 8, {{0, {{0, 5}, {4, 6}}}}), "0:5@0 4:6@0"},
      {"several files in turns are one table", Subsections().lines({1, 0}, 8, {{0, {{0, 5}, {6, 7}}}, {8, {{3, 6}}}}),
       "0:5@0 3:6@8 6:7@0"},
      {"equal offsets keep their order", Subsections().lines({1, 0}, 8, {{0, {{4, 5}, {0, 1}}}, {8, {{0, 2}}}}),
       "0:1@0 0:2@8 4:5@0"},
      {"columns", Subsections().lines({1, 0}, 8, {{0, {{0, 5, 9}, {4, 6, 2}}}}, true), "0:5@0,9 4:6@0,2"},
      {"lines have 24 bits", Subsections().lines({1, 0}, 8, {{0, {{0, 0x7FFFFFFF}}}}), "0:16777215@0"},
      {"no blocks", raw(head()), ""},
      {"of discarded code", Subsections().lines({0, 0}, 8, {{0, {{0, 5}}}}), "none"},
      {"a head cut short", raw(Section().u32(0)), "pdb.lines"},
      {"a block smaller than its head", raw(head().u32(0).u32(0).u32(11)), "pdb.lines.block_size"},
      {"a block past the table", raw(head().u32(0).u32(0).u32(13)), "pdb.lines.block_size"},
      {"more lines than the block holds", raw(head().u32(0).u32(2).u32(20).zeros(8)), "pdb.lines.entries"},
      {"lines without end", raw(head().u32(0).u32(0xFFFFFFFF).u32(12)), "pdb.lines.entries"},
  };
  for (const Row& r : rows) EXPECT_EQ(rows_of(r.bytes), r.want) << r.why;
}

TEST(C13, TablesAreSortedAndTheFirstOfTheFileComesFirst) {
  const auto bytes =
      Subsections().lines({2, 0}, 1, {}).lines({1, 8}, 2, {}).lines({1, 0}, 3, {}).lines({1, 8}, 4, {}).finish();
  C13 c13;
  ASSERT_TRUE(c13.read(bytes));
  std::string sizes;
  for (const LineTable& t : c13.lines) sizes += std::to_string(t.size);
  EXPECT_EQ(sizes, "3241");
}

TEST(C13, InlineesInBothForms) {
  const auto plain =
      Subsections().inlinees({{u32le(7), u32le(8), u32le(70)}, {u32le(3), u32le(0), u32le(30)}}).finish();
  const Section extended = Section().u32(1).u32(7).u32(8).u32(70).u32(2).zeros(8).u32(3).u32(0).u32(30).u32(0);
  for (const auto& bytes : {plain, Subsections().subsection(SubsectionKind::inlinee_lines, extended).finish()}) {
    C13 c13;
    ASSERT_TRUE(c13.read(bytes));
    ASSERT_NE(c13.inlinee(7), nullptr);
    EXPECT_EQ(c13.inlinee(7)->line, 70u);
    EXPECT_EQ(c13.inlinee(7)->file, 8u);
    EXPECT_EQ(c13.inlinee(3)->line, 30u);
    EXPECT_EQ(c13.inlinee(5), nullptr);
    EXPECT_EQ(c13.inlinee(8), nullptr);
  }
}

TEST(C13, FilesByOffsetInTheChecksums) {
  const Section checksums = Section().u32(11).u8(16).u8(1).zeros(16).align(4).u32(22).u8(0).u8(0).align(4);
  const auto bytes = Subsections().subsection(SubsectionKind::file_checksums, checksums).finish();
  C13 c13;
  ASSERT_TRUE(c13.read(bytes));
  EXPECT_EQ(c13.file_name(0), 11u);
  EXPECT_EQ(c13.file_name(24), 22u);
  EXPECT_EQ(c13.file_name(27), std::nullopt);
  EXPECT_EQ(c13.file_name(0xFFFFFFFF), std::nullopt);
}

TEST(C13, CrossScope) {
  const auto bytes = Subsections().imports(5, {1, 2}).exports({{u32le(9), u32le(0x1009)}}).finish();
  C13 c13;
  ASSERT_TRUE(c13.read(bytes));
  ASSERT_EQ(c13.imports.size(), 1u);
  EXPECT_EQ(c13.imports[0].module, 5u);
  EXPECT_EQ(c13.imports[0].ids.size(), 2u);
  ASSERT_EQ(c13.exports.size(), 1u);
  EXPECT_EQ(c13.exports[0].item, 0x1009u);
  ASSERT_TRUE(c13.read({}));
  EXPECT_TRUE(c13.imports.empty() && c13.exports.empty() && c13.lines.empty() && c13.checksums.empty());
}

TEST(C13, NamesTheFieldThatIsWrong) {
  struct Row {
    std::string_view why;
    SubsectionKind kind;
    Section body;
    std::string_view want;
  };
  const auto kIgnored = static_cast<SubsectionKind>(0x800000F6);
  const Row rows[] = {
      {"a signature we do not know", SubsectionKind::inlinee_lines, Section().u32(2), "pdb.inlinee_lines.signature"},
      {"no signature", SubsectionKind::inlinee_lines, {}, "pdb.inlinee_lines.signature"},
      {"files without end", SubsectionKind::inlinee_lines, Section().u32(1).zeros(12).u32(0xFFFFFFFF),
       "pdb.inlinee_lines.extra_files"},
      {"an entry cut short", SubsectionKind::inlinee_lines, Section().u32(1).zeros(8), "pdb.inlinee_lines.entry"},
      {"an import cut short", SubsectionKind::cross_scope_imports, Section().u32(1), "pdb.cross_scope_imports"},
      {"imports without end", SubsectionKind::cross_scope_imports, Section().u32(1).u32(9),
       "pdb.cross_scope_imports.ids"},
      {"to be ignored", kIgnored, Section().u32(2), ""},
  };
  for (const Row& r : rows) {
    const auto bytes = Subsections().subsection(r.kind, r.body).finish();
    C13 c13;
    const auto ok = c13.read(bytes);
    EXPECT_EQ(ok ? "" : ok.error().field, r.want) << r.why;
  }
  const auto past = Section().u32(0xF2).u32(5).zeros(4).finish();
  EXPECT_EQ(C13().read(past).error().field, "pdb.c13.length");
}

}  // namespace
}  // namespace symcached::pdb
