#include "formats/dwarf/package.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/dwarf/package.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::dwarf {
namespace {

using testkit::PackageIndex;

constexpr std::uint64_t kFirst = 0x1122334455667788, kSecond = 0xAABBCCDDEEFF0011;

/// Two units; sections of 16 bytes each.
PackageIndex two_units(std::uint32_t version, bool big_endian = false) {
  return {.version = version,
          .big_endian = big_endian,
          .columns = {1, 3, 6, 8},
          .rows = {{kFirst, {{0, 10}, {0, 4}, {0, 8}, {0, 5}}}, {kSecond, {{10, 6}, {4, 12}, {8, 8}, {5, 11}}}}};
}

struct Package {
  explicit Package(const PackageIndex& table) : index(assemble(table)), section(16) {
    sections = {.info = section, .types = section, .abbrev = section, .line = section, .str = section};
    sections.str_offsets = sections.rnglists = section;
    sections.cu_index = index;
    sections.big_endian = table.big_endian;
    sections.split = true;
  }
  std::vector<std::byte> index, section;
  Sections sections;
};

/// "offset+size" of a part; "-" if it is empty.
std::string place(const Package& package, Bytes part) {
  if (part.empty()) return "-";
  return std::to_string(part.data() - package.section.data()) + "+" + std::to_string(part.size());
}

std::string places(const Package& package, const UnitIndex& index, std::uint32_t row) {
  const auto s = index.sections_of(row, package.sections);
  if (!s) return to_string(s.error());
  EXPECT_TRUE(s->split);
  EXPECT_TRUE(s->cu_index.empty());
  std::string all;
  for (const Bytes part : {s->info, s->types, s->abbrev, s->line, s->str, s->str_offsets, s->rnglists})
    all += (all.empty() ? "" : " ") + place(package, part);
  return all;
}

TEST(UnitIndex, CutsTheSectionsToTheUnit) {
  struct Row {
    std::string_view why;
    PackageIndex index;
    std::vector<std::string> want;  // info types abbrev line str str_offsets rnglists
  };
  PackageIndex types = two_units(2);
  types.columns = {2, 3, 4, 5};
  const Row rows[] = {
      {"DWARF 5", two_units(5), {"0+10 - 0+4 - 0+16 0+8 0+5", "10+6 - 4+12 - 0+16 8+8 5+11"}},
      {"big-endian", two_units(5, true), {"0+10 - 0+4 - 0+16 0+8 0+5", "10+6 - 4+12 - 0+16 8+8 5+11"}},
      {"version 2: column 8 is of macros", two_units(2), {"0+10 - 0+4 - 0+16 0+8 -", "10+6 - 4+12 - 0+16 8+8 -"}},
      {"big-endian version 2", two_units(2, true), {"0+10 - 0+4 - 0+16 0+8 -", "10+6 - 4+12 - 0+16 8+8 -"}},
      {"types, lines and locations", types, {"- 0+10 0+4 0+8 0+16 - -", "- 10+6 4+12 8+8 0+16 - -"}},
      {"more slots", {.columns = {1}, .rows = {{kFirst, {{1, 2}}}}, .slots = 64}, {"1+2 - - - 0+16 - -"}},
      {"a column we do not know", {.columns = {77, 1}, .rows = {{1, {{~0u, 1}, {1, 2}}}}}, {"1+2 - - - 0+16 - -"}},
      {"no columns", {.rows = {{kFirst, {}}}}, {"- - - - 0+16 - -"}},
      {"an empty part", {.columns = {1}, .rows = {{kFirst, {{16, 0}}}}}, {"- - - - 0+16 - -"}},
      {"no units", {.columns = {1}, .slots = 0}, {}},
  };
  for (const Row& r : rows) {
    const Package package(r.index);
    const auto index = UnitIndex::open(package.index, r.index.big_endian);
    ASSERT_TRUE(index) << r.why << ": " << to_string(index.error());
    std::vector<std::string> got;
    for (std::size_t i = 0; i < index->units().size(); ++i) {
      EXPECT_EQ(index->units()[i].id, r.index.rows[i].id) << r.why;
      got.push_back(places(package, *index, index->units()[i].row));
    }
    EXPECT_EQ(got, r.want) << r.why;
  }
  EXPECT_TRUE(UnitIndex::open({}, false)->units().empty()) << "no index";
}

TEST(UnitIndex, RefusesWhatCannotBe) {
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const auto slots = 16u + 4 * 8, names = slots + 4 * 4;
  const Row rows[] = {
      {"version", 0, 3, "dwarf.unit_index.version"},
      {"version 2 of two bytes", 0, 0x10002, "dwarf.unit_index.version"},
      {"columns", 4, 17, "dwarf.unit_index.columns"},
      {"columns that do not fit", 4, 16, "dwarf.unit_index"},
      {"rows that do not fit", 8, 0xFFFFFFFF, "dwarf.unit_index"},
      {"slots that do not fit", 12, 0xFFFFFFFF, "dwarf.unit_index"},
      {"fewer slots than rows", 12, 1, "dwarf.unit_index.slots"},
      {"a slot with a row that is not there", slots + 4, 3, "dwarf.unit_index.row"},
      {"two slots with one row", slots + 4, 2, "dwarf.unit_index.row"},
      {"two columns of one section", names + 4, 1, "dwarf.unit_index.column"},
  };
  const auto whole = assemble(two_units(5));
  for (const Row& r : rows) {
    auto bytes = whole;
    testkit::patch(bytes, r.at, u32le(r.value));
    const auto index = UnitIndex::open(bytes, false);
    ASSERT_FALSE(index) << r.why;
    EXPECT_EQ(index.error().field, r.field) << r.why;
  }
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(UnitIndex::open(testkit::Exact(Bytes(whole).first(size)).bytes(), false)) << size << " bytes";
}

TEST(UnitIndex, RefusesPartsOutsideTheirSections) {
  for (const auto& part : {std::pair{17u, 0u}, {16u, 1u}, {0u, 17u}, {~0u, ~0u}}) {
    const Package package(PackageIndex{.columns = {1}, .rows = {{kFirst, {part}}}});
    const auto index = UnitIndex::open(package.index, false);
    ASSERT_TRUE(index);
    EXPECT_FALSE(index->sections_of(0, package.sections)) << part.first << " " << part.second;
  }
}

TEST(DwarfPackageFuzzCorpus, IsWhatTheAssemblerMakes) {
  const auto stored = [](const PackageIndex& index) {
    return testkit::Section().u8(index.big_endian ? 1 : 0).bytes(assemble(index)).zeros(16).finish();
  };
  auto damaged = stored(two_units(5));
  testkit::patch(damaged, 1 + 8, u32le(3));
  const testkit::StoredInput inputs[] = {{"version5.bin", stored(two_units(5))},
                                         {"version5_big.bin", stored(two_units(5, true))},
                                         {"version2.bin", stored(two_units(2))},
                                         {"version2_big.bin", stored(two_units(2, true))},
                                         {"row_too_many.bin", damaged}};
  testkit::expect_stored("formats/dwarf/fuzz_corpus/package_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::dwarf
