#include "formats/pe/coff_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pe/coff_relocations.hpp"
#include "formats/pe/debug_link.hpp"
#include "testing/pe/image.hpp"
#include "testing/pe/parts_walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pe {
namespace {

using testkit::CoffImage;
using testkit::Exact;
using testkit::kCoffDebug;
using testkit::PeImage;
using testkit::Section;

CoffImage small_object(bool big) {
  return {.big = big,
          .sections = {{".text", 0x60500020, std::vector<std::byte>(0x20)},
                       {".debug_info", kCoffDebug, std::vector<std::byte>(32), {{0, 0, 1}, {8, 0, 0xB}}}},
          .symbols = {{.name = "f", .value = 0x10}, {.name = "a long name", .section = 0}}};
}

TEST(CoffObject, PlainAndBig) {
  for (const bool big : {false, true}) {
    const auto bytes = testkit::assemble_object(small_object(big)).finish();
    EXPECT_TRUE(is_object(bytes));
    const auto object = CoffObject::open(bytes);
    ASSERT_TRUE(object) << to_string(object.error());
    EXPECT_EQ(object->is_big(), big);
    EXPECT_EQ(object->machine(), Machine::amd64);
    ASSERT_EQ(object->sections().size(), 2u);
    EXPECT_EQ(object->section_name(object->sections()[1]), ".debug_info");
    EXPECT_EQ(object->section_data(object->sections()[0], "test")->size(), 0x20u);
    EXPECT_EQ(object->relocations(object->sections()[1])->size(), 2u);
    EXPECT_EQ(object->symbols().name(*object->symbols().at(1)), "a long name");
  }
}

TEST(CoffObject, IsToldFromOtherFiles) {
  struct Row {
    std::string_view why;
    bool big;
    std::size_t at;
    std::uint16_t value;
    bool want;
  };
  const Row rows[] = {
      {"as it is", false, 0, 0x8664, true},
      {"x86", false, 0, 0x14C, true},
      {"ARM64", false, 0, 0xAA64, true},
      {"no machine of Windows", false, 0, 0x1234, false},
      {"an optional header: an image without its DOS program", false, 16, 0xF0, false},
      {"flags of an image", false, 18, 2, false},
      {"no sections", false, 2, 0, false},
      {"sections over the symbols", false, 2, 0x100, false},
      {"a section name of control characters", false, 20, 0x0301, false},
      {"big, as it is", true, 6, 0x8664, true},
      {"big, of another class", true, 12, 0x1234, false},
      {"an import library's member", true, 4, 0, false},
      {"big, for no machine", true, 6, 0, false},
  };
  for (const Row& r : rows) {
    auto bytes = testkit::assemble_object(small_object(r.big)).finish();
    testkit::patch(bytes, r.at, u16le(r.value));
    EXPECT_EQ(is_object(bytes), r.want) << r.why;
  }
  for (const std::string_view text : {"", "d\x86", "MZ", "L\x01 some text that is no object file at all, only words"})
    EXPECT_FALSE(is_object(as_bytes(text))) << text;
}

TEST(CoffObject, RelocatesWhatDebugSectionsUse) {
  struct Row {
    std::string_view why;
    std::uint16_t machine, type;
    std::uint64_t want;  ///< 8 bytes at 0; there were eight times 0x01
  };
  constexpr std::uint64_t kOld = 0x0101010101010101, kHigh = 0x0101010100000000;
  const Row rows[] = {
      {"amd64 nothing", 0x8664, 0, kOld},
      {"amd64 ADDR64", 0x8664, 1, kOld + 0x20010},
      {"amd64 ADDR32", 0x8664, 2, kHigh + 0x01010101 + 0x20010},
      {"amd64 ADDR32NB", 0x8664, 3, kHigh + 0x01010101 + 0x10010},
      {"amd64 SECTION", 0x8664, 0xA, kOld},
      {"amd64 SECREL", 0x8664, 0xB, kHigh + 0x01010101 + 0x10},
      {"i386 DIR32", 0x14C, 6, kHigh + 0x01010101 + 0x20010},
      {"i386 DIR32NB", 0x14C, 7, kHigh + 0x01010101 + 0x10010},
      {"i386 SECREL", 0x14C, 0xB, kHigh + 0x01010101 + 0x10},
      {"arm64 ADDR32", 0xAA64, 1, kHigh + 0x01010101 + 0x20010},
      {"arm64 SECREL", 0xAA64, 8, kHigh + 0x01010101 + 0x10},
      {"arm64 ADDR64", 0xAA64, 0xE, kOld + 0x20010},
      {"arm64ec ADDR64", 0xA641, 0xE, kOld + 0x20010},
      {"arm SECREL", 0x1C4, 0xF, kHigh + 0x01010101 + 0x10},
  };
  for (const Row& r : rows) {
    CoffImage image = small_object(false);
    image.machine = r.machine;
    image.sections[1].data.assign(8, std::byte{1});
    image.sections[1].relocations = {{0, 0, r.type}};
    const auto bytes = testkit::assemble_object(image).finish();
    const auto object = CoffObject::open(bytes);
    ASSERT_TRUE(object) << r.why;
    auto data = image.sections[1].data;
    const auto done = relocate(*object, object->sections()[1], std::vector<SectionPlace>{{0x20000}, {}}, 0x10000, data);
    ASSERT_TRUE(done) << r.why << to_string(done.error());
    EXPECT_EQ(std::uint64_t{*read_at<u64le>(data, 0, "test")}, r.want) << r.why;
  }
}

TEST(CoffObject, WhatIsNowhereBecomesZero) {
  CoffImage image = small_object(false);
  image.sections[1].relocations = {{0, 1, 1}, {8, 1, 0xB}, {16, 0, 1}};
  image.sections[1].data.assign(24, std::byte{1});
  const auto bytes = testkit::assemble_object(image).finish();
  const auto object = CoffObject::open(bytes);
  auto data = image.sections[1].data;
  ASSERT_TRUE(relocate(*object, object->sections()[1], std::vector<SectionPlace>(2), 0x10000, data));
  EXPECT_EQ(std::uint64_t{*read_at<u64le>(data, 0, "test")}, 0u) << "a symbol of another file";
  EXPECT_EQ(std::uint32_t{*read_at<u32le>(data, 8, "test")}, 0u) << "its offset in a section";
  EXPECT_EQ(std::uint64_t{*read_at<u64le>(data, 16, "test")}, 0u) << "a section that is not placed";
}

TEST(CoffObject, WrongRelocationsAreNamed) {
  struct Row {
    std::string_view why;
    testkit::CoffRelocation relocation;
    std::string_view want;
  };
  const Row rows[] = {
      {"outside the section", {29, 0, 2}, "coff.relocation.place"},
      {"far outside", {0xFFFFFFFF, 0, 1}, "coff.relocation.place"},
      {"no such symbol", {0, 2, 1}, "coff.symbol.index"},
      {"a type of code", {0, 0, 4}, "coff.relocation.type"},
  };
  for (const Row& r : rows) {
    CoffImage image = small_object(false);
    image.sections[1].relocations = {r.relocation};
    const auto bytes = testkit::assemble_object(image).finish();
    const auto object = CoffObject::open(bytes);
    auto data = image.sections[1].data;
    const auto done = relocate(*object, object->sections()[1], std::vector<SectionPlace>(2), 0, data);
    ASSERT_FALSE(done) << r.why;
    EXPECT_EQ(done.error().field, r.want) << r.why;
  }
}

TEST(CoffObject, TheFirstRelocationCanHoldTheirNumber) {
  CoffImage image = small_object(false);
  image.sections[1].counted_in_first = true;
  const testkit::Section out = testkit::assemble_object(image);
  auto bytes = out.finish();
  const auto object = CoffObject::open(bytes);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->relocations(object->sections()[1])->size(), 2u);
  testkit::patch(bytes, out.at("relocations1"), u32le(0));
  EXPECT_EQ(object->relocations(object->sections()[1]).error().field, "coff.relocation_count");
  testkit::patch(bytes, out.at("relocations1"), u32le(0xFFFFFFFF));
  EXPECT_EQ(object->relocations(object->sections()[1]).error().field, "coff.relocations");
}

TEST(CoffObject, EveryCutAndFlippedBitIsRefusedOrRead) {
  for (const bool big : {false, true}) {
    const auto whole = testkit::assemble_object(small_object(big)).finish();
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const Exact cut(Bytes(whole).first(n));
      if (const auto object = CoffObject::open(cut.bytes())) testkit::walk_object(*object);
    }
    Exact flipped(whole);
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      if (const auto object = CoffObject::open(flipped.bytes())) testkit::walk_object(*object);
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    }
  }
}

TEST(PeDebugLink, FileAndChecksum) {
  const auto link_in = [](const Section& section) -> Read<std::string> {
    const auto bytes = testkit::assemble(PeImage{.extra = {{".gnu_debuglink", section.finish()}}}).finish();
    SC_TRY(const auto found, debug_link(*Image::open(bytes)));
    return found ? std::string(found->file) + " " + std::to_string(found->crc32) : "none";
  };
  EXPECT_EQ(*link_in(Section().c_string("a.debug").u32(17)), "a.debug 17");
  EXPECT_EQ(*link_in(Section().c_string("ab").zeros(1).u32(18)), "ab 18");
  EXPECT_EQ(link_in(Section().c_string("a.debug").u16(1)).error().field, "pe.debug_link.crc32");
  EXPECT_EQ(link_in(Section().text("a.debug")).error().field, "pe.debug_link.file");
  EXPECT_EQ(link_in(Section().c_string("").zeros(3).u32(1)).error().field, "pe.debug_link.file");
  const auto bytes = testkit::assemble(PeImage{}).finish();
  EXPECT_FALSE(debug_link(*Image::open(bytes))->has_value());
}

/// All parts that coff_fuzz reads, in one image.
PeImage image_of_all_parts() {
  return {.exports = {{.name = "b", .slot = 1, .rva = 0x1010}, {.slot = 0, .forwarder = "K.x"}},
          .exceptions = Section().u32(0x1000).u32(0x1010).u32(testkit::kPeUnwindRva).finish(),
          .unwind = Section().u8(1 | 4 << 3).zeros(3).u32(0x1040).u32(0x1050).u32(0).finish(),
          .extra = {{".gnu_debuglink", Section().c_string("a.debug").u32(17).finish()}},
          .symbols = {{.name = "f", .aux = 1, .code_size = 8}, {.name = "a long name"}}};
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(CoffFuzzCorpus, IsWhatTheAssemblerMakes) {
  PeImage arm = image_of_all_parts();
  arm.machine = static_cast<std::uint16_t>(Machine::arm64);
  CoffImage counted = small_object(false);
  counted.sections[1].counted_in_first = true;
  const testkit::StoredInput inputs[] = {
      {"image.bin", testkit::assemble(image_of_all_parts()).finish()},
      {"image_arm64.bin", testkit::assemble(arm).finish()},
      {"object.bin", testkit::assemble_object(small_object(false)).finish()},
      {"big_object.bin", testkit::assemble_object(small_object(true)).finish()},
      {"counted_relocations.bin", testkit::assemble_object(counted).finish()},
  };
  testkit::expect_stored("formats/pe/fuzz_corpus/coff_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::pe
