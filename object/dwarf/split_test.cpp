#include "object/dwarf/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/dwarf/translate.hpp"
#include "testing/dwarf/package.hpp"
#include "testing/dwarf/split_units.hpp"
#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::SplitDwarf;

constexpr std::uint16_t kVersions[] = {4, 5};
constexpr std::uint64_t kFirst = 0x1122334455667788, kSecond = 0xAABBCCDDEEFF0011;
const std::vector<testkit::SplitUnitSpec> kUnits{{kFirst, kFirst, 0x1000}, {kSecond, kSecond, 0x2000}};
const std::vector<std::string> kAll{"1000+10 one_0", "1020+10 two_0", "1040+8 two_0 cold part of 1020",
                                    "2000+10 one_1", "2020+10 two_1", "2040+8 two_1 cold part of 2020"};

std::vector<std::string> translated(const dwarf::Sections& main, std::span<const dwarf::Sections> split,
                                    const CodeSymbols* symbols = nullptr) {
  ModelText text;
  const auto done = translate_dwarf({.sections = main, .split = split, .code = {}, .symbols = symbols}, text);
  if (!done) return {std::string(done.error().field)};
  return text.text();
}

/// All units of a program in one file. Its texts are those of the first unit and then of the second, so that offsets
/// of the second unit count from further on.
struct Package {
  Package(SplitDwarf& program, std::uint32_t version, testkit::PackageIndex index = {}) {
    testkit::Section info, abbrev, offsets, lists, text;
    index.version = version;
    if (index.columns.empty()) index.columns = {1, 3, 6, 8};
    const bool make_rows = index.rows.empty();
    for (std::size_t i = 0; i < program.split.size(); ++i) {
      const dwarf::Sections& unit = program.split[i];
      testkit::PackageRow row{.id = kUnits[i].id, .parts = {}};
      const auto append = [&](testkit::Section& to, Bytes part) {
        row.parts.emplace_back(to.size(), part.size());
        to.bytes(part);
      };
      append(info, unit.info);
      append(abbrev, unit.abbrev);
      const auto shift = static_cast<std::uint32_t>(text.size());
      std::vector<std::byte> moved(unit.str_offsets.begin(), unit.str_offsets.end());
      for (std::size_t at = moved.size() - 8; at < moved.size(); at += 4) {
        const std::uint32_t old = *read_at<u32le>(moved, at, "offset");
        testkit::patch(moved, at, u32le(old + shift));
      }
      append(offsets, moved);
      append(lists, unit.rnglists);
      text.bytes(unit.str);
      if (make_rows) index.rows.push_back(row);
    }
    sections = {.info = program.keep(info.finish()), .abbrev = program.keep(abbrev.finish()), .split = true};
    sections.str = program.keep(text.finish());
    sections.str_offsets = program.keep(offsets.finish());
    sections.rnglists = program.keep(lists.finish());
    sections.cu_index = program.keep(assemble(index));
  }
  dwarf::Sections sections;
};

TEST(SplitDwarf, FunctionsOfSplitUnitsHaveTheSkeletonsAddresses) {
  for (const std::uint16_t version : kVersions) {
    const SplitDwarf program(version, kUnits);
    EXPECT_EQ(translated(program.main, program.split), kAll) << "version " << version;
    const std::vector<dwarf::Sections> reversed(program.split.rbegin(), program.split.rend());
    EXPECT_EQ(translated(program.main, reversed), kAll) << "in any order, version " << version;
  }
}

TEST(SplitDwarf, UnitsOfPackagesHaveTheirOwnParts) {
  for (const std::uint16_t version : kVersions) {
    SplitDwarf program(version, kUnits);
    const Package package(program, version == 5 ? 5 : 2);
    EXPECT_EQ(translated(program.main, std::span(&package.sections, 1)), kAll) << "version " << version;
  }
}

TEST(SplitDwarf, UnitsWithAnotherIdAreNotUsed) {
  for (const std::uint16_t version : kVersions) {
    const std::vector<testkit::SplitUnitSpec> units{{kFirst, kFirst + 1, 0x1000}, {kSecond, kSecond, 0x2000}};
    SplitDwarf program(version, units);
    const std::vector<std::string> second(kAll.begin() + 3, kAll.end());
    EXPECT_EQ(translated(program.main, program.split), second) << version;
    const Package lying(program, version == 5 ? 5 : 2);
    EXPECT_EQ(translated(program.main, std::span(&lying.sections, 1)), second) << "the index lies, " << version;
  }
}

TEST(SplitDwarf, WithoutThemTheSymbolTableNamesTheCode) {
  const SplitDwarf program(5, kUnits);
  CodeSymbols symbols;
  symbols.add({.address = 0x1000, .size = 0x10, .name = "symbol"});
  const CodeRange code{0x1000, 0x3000};
  symbols.finish(std::span(&code, 1));
  EXPECT_THAT(translated(program.main, {}, &symbols), ElementsAre(testing::StartsWith("1000+10 symbol")));
  EXPECT_THAT(translated(program.main, {}), IsEmpty());
  auto other_machine = program.split;
  for (dwarf::Sections& one : other_machine) one.big_endian = true;
  EXPECT_THAT(translated(program.main, other_machine), IsEmpty()) << "of another byte order";
}

TEST(SplitDwarf, PackagesThatCannotBeAreRefused) {
  struct Row {
    std::string_view why;
    testkit::PackageIndex index;
    std::string_view field;
  };
  const Row rows[] = {
      {"a part outside", {.columns = {1}, .rows = {{kFirst, {{0, 0xFFFF}}}}}, "dwarf.unit_index.offset"},
      {"units on top of each other",
       {.columns = {1}, .rows = {{kFirst, {{0, 33}}}, {kSecond, {{0, 33}}}, {3, {{0, 33}}}}},
       "dwarf.unit_index.size"},
      {"half a unit", {.columns = {1}, .rows = {{kFirst, {{0, 20}}}}}, "dwarf.unit_length"},
      {"no abbreviations", {.columns = {1}, .rows = {{kFirst, {{0, 33}}}}}, "dwarf.abbrev"},
  };
  for (const Row& r : rows) {
    SplitDwarf program(5, kUnits);
    const Package package(program, 5, r.index);
    EXPECT_EQ(program.split[0].info.size(), 33u);
    const auto got = translated(program.main, std::span(&package.sections, 1));
    ASSERT_EQ(got.size(), 1u) << r.why;
    EXPECT_THAT(got[0], testing::StartsWith(r.field)) << r.why;
  }
}

TEST(SplitDwarf, NoUnitIsWalkedWithoutEnd) {
  // 3 KB of skeletons that all name one unit are translated; how much that may be is bounded by the budget.
  const std::vector<testkit::SplitUnitSpec> units(50, {kFirst, kFirst, 0x1000});
  const SplitDwarf program(5, units);
  EXPECT_EQ(translated(program.main, std::span(program.split).first(1)).size(), 150u);
}

std::vector<std::string> texts(std::span<const NeedFile> needed) {
  std::vector<std::string> all;
  for (const NeedFile& need : needed)
    all.push_back(need.kind == NeedFile::Kind::split_package
                      ? "package" + need.path
                      : fmt::format("{}:{}:{:x}", need.directory, need.path, need.dwo_id));
  return all;
}

const std::string kNeedFirst = "/build:unit0.dwo:1122334455667788", kNeedSecond = "/build:unit1.dwo:aabbccddeeff0011";

TEST(SplitUnits, AreNamedByTheirSkeletons) {
  for (const std::uint16_t version : kVersions) {
    const SplitDwarf program(version, kUnits);
    EXPECT_TRUE(may_have_split_units(program.main));
    EXPECT_THAT(texts(split_units(program.main)), ElementsAre(kNeedFirst, kNeedSecond)) << version;
    std::vector<NeedFile> needed;
    add_split_needs(program.main, {}, needed);
    EXPECT_THAT(texts(needed), ElementsAre("package", kNeedFirst, kNeedSecond)) << version;
    const Companion first{{.kind = NeedFile::Kind::split_unit, .dwo_id = kFirst}, {}};
    needed.clear();
    add_split_needs(program.main, std::span(&first, 1), needed);
    EXPECT_THAT(texts(needed), ElementsAre("package", kNeedSecond)) << "one was found, " << version;
    const Companion package{{.kind = NeedFile::Kind::split_package}, {}};
    needed.clear();
    add_split_needs(program.main, std::span(&package, 1), needed);
    EXPECT_THAT(texts(needed), ElementsAre(kNeedFirst, kNeedSecond)) << "a package of something else, " << version;
  }
}

TEST(SplitUnits, AreNotLookedForWithoutAddresses) {
  const SplitDwarf program(5, kUnits);
  dwarf::Sections main = program.main;
  main.addr = {};
  EXPECT_FALSE(may_have_split_units(main));
  std::vector<NeedFile> needed;
  add_split_needs(main, {}, needed);
  EXPECT_THAT(needed, IsEmpty());
  EXPECT_FALSE(may_have_split_units(program.split[0]));
}

TEST(SplitUnits, EveryCutIsRead) {
  for (const std::uint16_t version : kVersions) {
    const SplitDwarf program(version, kUnits);
    for (Bytes dwarf::Sections::* member : kNamingSections)
      for (std::size_t size = 0; size < (program.main.*member).size(); ++size) {
        dwarf::Sections cut = program.main;
        const testkit::Exact exact((program.main.*member).first(size));
        cut.*member = exact.bytes();
        EXPECT_LE(split_units(cut).size(), 2u);
        translated(cut, program.split);
      }
  }
}

}  // namespace
}  // namespace symcached::object
