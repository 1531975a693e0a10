#include "formats/pe/runtime_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/pe/image.hpp"

namespace symcached::pe {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testkit::kPeUnwindRva;
using testkit::PeImage;
using testkit::Section;

constexpr std::uint32_t kPlain = kPeUnwindRva;            ///< unwind information of its own
constexpr std::uint32_t kChainedToF = kPeUnwindRva + 8;   ///< three codes, then the entry of the function at 1000
constexpr std::uint32_t kChainedToG = kPeUnwindRva + 32;  ///< no codes, then the entry of a piece at 1040
constexpr std::uint32_t kLoop = kPeUnwindRva + 48;        ///< chained to itself

std::vector<std::byte> unwind_x64() {
  Section out;
  out.u8(1).zeros(7);
  out.u8(1 | 4 << 3).u8(0).u8(3).u8(0).zeros(8).u32(0x1000).u32(0x1010).u32(kPlain);
  out.u8(1 | 4 << 3).zeros(3).u32(0x1040).u32(0x1050).u32(kChainedToF);
  out.u8(1 | 4 << 3).zeros(3).u32(0x1080).u32(0x1090).u32(kLoop);
  return out.finish();
}

std::vector<CodeExtent> extents_of(const PeImage& spec) {
  const auto bytes = testkit::assemble(spec).finish();
  const auto extents = read_code_extents(*Image::open(bytes));
  EXPECT_TRUE(extents) << to_string(extents.error());
  return extents.value_or(std::vector<CodeExtent>());
}

TEST(PeRuntimeFunctions, X64WithChains) {
  struct Entry {
    std::uint32_t begin, end, unwind;
  };
  struct Row {
    std::string_view why;
    std::vector<Entry> entries;
    std::vector<CodeExtent> want;
  };
  const Row rows[] = {
      {"one", {{0x1000, 0x1010, kPlain}}, {{0x1000, 0x1010, 0x1000}}},
      {"the next piece is added",
       {{0x1000, 0x1010, kPlain}, {0x1010, 0x1030, kChainedToF}},
       {{0x1000, 0x1030, 0x1000}}},
      {"a piece elsewhere keeps its function",
       {{0x1000, 0x1010, kPlain}, {0x1040, 0x1050, kChainedToF}},
       {{0x1000, 0x1010, 0x1000}, {0x1040, 0x1050, 0x1000}}},
      {"a chain of chains", {{0x1060, 0x1070, kChainedToG}}, {{0x1060, 0x1070, 0x1000}}},
      {"a loop ends", {{0x1060, 0x1070, kLoop}}, {{0x1060, 0x1070, 0x1080}}},
      {"an entry that stands for another", {{0x1060, 0x1070, kChainedToF + 12 + 1}}, {{0x1060, 0x1070, 0x1000}}},
      {"unwind information nowhere", {{0x1000, 0x1010, 0xFFFFFFF0}}, {{0x1000, 0x1010, 0x1000}}},
      {"padding, and ends before starts", {{0, 0, 0}, {0x1010, 0x1000, kPlain}, {0x1010, 0x1010, kPlain}}, {}},
      {"not sorted, twice, overlapping",
       {{0x1050, 0x1060, kPlain}, {0x1000, 0x1020, kPlain}, {0x1000, 0x1008, kPlain}, {0x1010, 0x1030, kPlain}},
       {{0x1000, 0x1010, 0x1000}, {0x1010, 0x1030, 0x1010}, {0x1050, 0x1060, 0x1050}}},
  };
  for (const Row& r : rows) {
    Section entries;
    for (const Entry& e : r.entries) entries.u32(e.begin).u32(e.end).u32(e.unwind);
    EXPECT_THAT(extents_of({.exceptions = entries.finish(), .unwind = unwind_x64()}), ElementsAreArray(r.want))
        << r.why;
  }
}

TEST(PeRuntimeFunctions, ArmPackedAndNot) {
  Section entries;
  entries.u32(0x1001).u32(1 | 5 << 2).u32(0x1021).u32(2 | 4 << 2);    // packed, and packed without a prolog
  entries.u32(0x1041).u32(kPeUnwindRva).u32(0x1061).u32(3 | 4 << 2);  // .xdata, and what is reserved
  entries.u32(0x1081).u32(0xFFFFFFF0);                                // nowhere
  const auto unwind = Section().u32(6 | 1u << 20).finish();
  PeImage spec{.machine = static_cast<std::uint16_t>(Machine::armnt), .exceptions = entries.finish(), .unwind = unwind};
  EXPECT_THAT(extents_of(spec), ElementsAre(CodeExtent{0x1000, 0x100A, 0x1000}, CodeExtent{0x1020, 0x1028, 0x1020},
                                            CodeExtent{0x1040, 0x104C, 0x1040}));
  spec.machine = static_cast<std::uint16_t>(Machine::arm64);
  EXPECT_THAT(extents_of(spec), ElementsAre(CodeExtent{0x1001, 0x1015, 0x1001}, CodeExtent{0x1021, 0x1031, 0x1021},
                                            CodeExtent{0x1041, 0x1059, 0x1041}));
  spec.machine = static_cast<std::uint16_t>(Machine::i386);
  EXPECT_THAT(extents_of(spec), IsEmpty());
}

TEST(PeRuntimeFunctions, ADirectoryThatPassesItsSectionIsRefused) {
  const auto out = testkit::assemble(PeImage{.exceptions = std::vector<std::byte>(24)});
  auto bytes = out.finish();
  testkit::patch(bytes, out.at("optional") + 112 + 3 * 8 + 4, u32le(0x10000));
  EXPECT_EQ(read_code_extents(*Image::open(bytes)).error().field, "pe.exceptions");
  testkit::patch(bytes, out.at("optional") + 112 + 3 * 8, u32le(0x900000));  // not in this file at all
  EXPECT_THAT(*read_code_extents(*Image::open(bytes)), IsEmpty());
}

}  // namespace
}  // namespace symcached::pe
