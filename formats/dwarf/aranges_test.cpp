#include "formats/dwarf/aranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"

namespace symcached::dwarf {
namespace {

using testkit::Section;

struct ArangesSet {
  std::uint32_t unit = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> tuples;
  std::uint16_t version = 2;
  std::uint8_t segment_size = 0;
};

std::vector<std::byte> aranges_of(const std::vector<ArangesSet>& sets) {
  Section all;
  for (const ArangesSet& set : sets) {
    Section body;
    body.u16(set.version).u32(set.unit).u8(8).u8(set.segment_size).u32(0);  // up to a multiple of 16 from the length on
    for (const auto& [low, length] : set.tuples) body.u64(low).u64(length);
    body.u64(0).u64(0);
    const auto bytes = body.finish();
    all.u32(static_cast<std::uint32_t>(bytes.size())).bytes(bytes);
  }
  return all.finish();
}

std::vector<std::string> text_of(Bytes section) {
  const auto read = read_aranges(section, false);
  if (!read) return {to_string(read.error())};
  std::vector<std::string> text;
  for (const CodeOfUnit& range : read->ranges)
    text.push_back(std::to_string(range.low) + "-" + std::to_string(range.high) + "@" + std::to_string(range.unit));
  text.push_back(std::to_string(read->units.size()) + " units");
  return text;
}

TEST(Aranges, SaysWhichUnitHasCodeWhere) {
  struct Row {
    std::string_view why;
    std::vector<ArangesSet> sets;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"none", {}, {"0 units"}},
      {"two units", {{7, {{16, 4}, {32, 8}}}, {100, {{64, 1}}}}, {"16-20@7", "32-40@7", "64-65@100", "2 units"}},
      {"one unit twice", {{7, {{16, 4}}}, {7, {{20, 4}}}}, {"16-20@7", "20-24@7", "1 units"}},
      {"code that the linker dropped", {{7, {{0, 0}, {16, 0}, {32, 1}}}}, {"32-33@7", "1 units"}},
      {"up to the last address",
       {{7, {{~0ull - 4, 4}, {~0ull - 4, 5}}}},
       {"18446744073709551611-18446744073709551615@7", "1 units"}},
      {"another version", {{7, {{16, 4}}, 3}, {8, {{16, 4}}}}, {"16-20@8", "1 units"}},
      {"segments", {{7, {{16, 4}}, 2, 4}}, {"0 units"}},
  };
  for (const Row& row : rows) EXPECT_EQ(text_of(aranges_of(row.sets)), row.want) << row.why;
}

TEST(Aranges, CutsAreFound) {
  const auto whole = aranges_of({{7, {{16, 4}}}});
  for (std::size_t n = 1; n < whole.size(); ++n) EXPECT_FALSE(read_aranges(Bytes(whole).first(n), false)) << n;
}

}  // namespace
}  // namespace symcached::dwarf
