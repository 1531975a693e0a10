#include "formats/dwarf/eh_frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::dwarf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::Section;

/// A CIE of version 1, as GCC writes it.
void put_cie(Section& out, std::string_view augmentation, std::string_view data) {
  Section body;
  body.u32(0).u8(1).c_string(augmentation).u8(1).u8(0x78).u8(16).text(data).zeros(3);
  out.u32(static_cast<std::uint32_t>(body.finish().size())).bytes(body.finish());
}

/// Two functions behind a CIE that counts from where a number stands, with four bytes.
std::vector<std::byte> usual_table() {
  Section out;
  put_cie(out, "zR", "\x01\x1B");  // pcrel | sdata4
  const auto fde = [&](std::uint32_t start, std::uint32_t size) {
    const auto at = static_cast<std::uint32_t>(out.finish().size());
    out.u32(16).u32(at + 4).u32(start - (0x1000 + at + 8)).u32(size).u32(0);
  };
  fde(0x2000, 0x20);
  fde(0x800, 8);
  return out.u32(0).text("behind the end").finish();
}

std::vector<std::byte> big_table() {
  Section out;
  out.u32_big(13).u32_big(0).u8(1).c_string("").u8(1).u8(0x7C).u8(65).zeros(4);
  return out.u32_big(12).u32_big(21).u32_big(0x10000400).u32_big(0x40).u32_big(0).finish();
}

TEST(EhFrame, PlacesInEachEncoding) {
  EXPECT_THAT(frame_extents({.data = usual_table(), .address = 0x1000}),
              ElementsAre(FrameExtent{0x2000, 0x20}, FrameExtent{0x800, 8}));
  EXPECT_THAT(frame_extents({.data = big_table(), .address = 0, .address_size = 4, .big_endian = true}),
              ElementsAre(FrameExtent{0x10000400, 0x40}));
  struct Row {
    std::string_view why, augmentation, data;
    std::vector<FrameExtent> want;
  };
  const Row rows[] = {
      {"absolute words", "", "", {{0x40003000, 0x10}}},
      {"words after a personality and a language table",
       "zPLR",
       std::string_view("\x07\x03pers\x03\x00", 8),
       {{0x40003000, 0x10}}},
      {"signal frames and branch keys say nothing of places",
       "zRSB",
       std::string_view("\x01\x00", 2),
       {{0x40003000, 0x10}}},
      {"relative to data, which is not known", "zR", "\x01\x3B", {}},
      {"an unknown letter", "zQR", std::string_view("\x01\x00", 2), {}},
      {"an augmentation of another kind", "eh", "12345678", {}},
      {"an unknown size", "zR", "\x01\x0E", {}},
  };
  for (const Row& r : rows) {
    Section out;
    put_cie(out, r.augmentation, r.data);
    const auto at = static_cast<std::uint32_t>(out.finish().size());
    out.u32(20).u32(at + 4).u64(0x40003000).u64(0x10);
    EXPECT_EQ(frame_extents({.data = out.finish(), .address = 0}), r.want) << r.why;
  }
}

TEST(EhFrame, EndsBeforeWhatCannotBeRead) {
  const auto whole = usual_table();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    EXPECT_LE(frame_extents({.data = cut.bytes(), .address = 0x1000}).size(), 2u);
  }
  const auto before_the_start = Section().u32(12).u32(400).u64(0).finish();
  EXPECT_THAT(frame_extents({.data = before_the_start, .address = 0}), IsEmpty());
  const auto endless = Section().u32(0xFFFFFFF0).u32(0).u64(0).finish();
  EXPECT_THAT(frame_extents({.data = endless, .address = 0}), IsEmpty());
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(DwarfFuzzCorpus, HoldsUnwindTables) {
  std::vector<std::byte> little{std::byte{0}}, big{std::byte{3}};
  const auto usual = usual_table(), other = big_table();
  little.insert(little.end(), usual.begin(), usual.end());
  big.insert(big.end(), other.begin(), other.end());
  const testkit::StoredInput inputs[] = {{"usual.bin", little}, {"big.bin", big}};
  testkit::expect_stored("formats/dwarf/fuzz_corpus/eh_frame_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::dwarf
