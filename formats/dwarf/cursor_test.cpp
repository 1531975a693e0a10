#include "formats/dwarf/cursor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::dwarf {
namespace {

using testkit::Exact;
using testkit::Section;
using Octets = std::vector<std::uint8_t>;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();

TEST(DwarfCursor, ReadsUnsignedLeb) {
  struct Row {
    std::string_view why;
    Octets bytes;
    std::uint64_t want;
    bool ok = true;
  };
  const Row rows[] = {
      {"one byte", {0x7F}, 127},
      {"two bytes", {0x80, 0x01}, 128},
      {"the standard's example", {0xB9, 0x64}, 12857},
      {"14 bits", {0xFF, 0x7F}, 0x3FFF},
      {"15 bits", {0x80, 0x80, 0x01}, 0x4000},
      {"padded", {0x81, 0x80, 0x80, 0x00}, 1},
      {"padded past 64 bits", {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 1},
      {"64 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}, kHighest},
      {"65 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}, 0, false},
      {"71 bits", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 0, false},
      {"nothing", {}, 0, false},
      {"cut", {0x80, 0x80}, 0, false},
  };
  for (const Row& r : rows) {
    const Exact exact(std::as_bytes(std::span(r.bytes)));
    LittleCursor in(exact.bytes());
    EXPECT_EQ(in.uleb(), r.want) << r.why;
    EXPECT_EQ(in.failed(), !r.ok) << r.why;
    EXPECT_TRUE(in.at_end()) << r.why;
  }
}

TEST(DwarfCursor, ReadsSignedLeb) {
  struct Row {
    std::string_view why;
    Octets bytes;
    std::int64_t want;
    bool ok = true;
  };
  const Row rows[] = {
      {"2", {0x02}, 2},
      {"-2", {0x7E}, -2},
      {"63", {0x3F}, 63},
      {"-64", {0x40}, -64},
      {"127", {0xFF, 0x00}, 127},
      {"-127", {0x81, 0x7F}, -127},
      {"-129", {0xFF, 0x7E}, -129},
      {"8191", {0xFF, 0x3F}, 8191},
      {"-8192", {0x80, 0x40}, -8192},
      {"8192", {0x80, 0xC0, 0x00}, 8192},
      {"-1 padded", {0xFF, 0xFF, 0x7F}, -1},
      {"-1 padded past 64 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, -1},
      {"1 padded past 64 bits", {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 1},
      {"lowest", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F}, kLowest},
      {"lowest but one", {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F}, kLowest + 1},
      {"highest", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00}, ~kLowest},
      {"nine bytes, negative", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40}, kLowest / 2},
      {"65 bits", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 0, false},
      {"the padding is not the sign", {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F}, 0, false},
      {"nothing", {}, 0, false},
      {"cut", {0xFF}, 0, false},
  };
  for (const Row& r : rows) {
    const Exact exact(std::as_bytes(std::span(r.bytes)));
    LittleCursor in(exact.bytes());
    EXPECT_EQ(in.sleb(), r.want) << r.why;
    EXPECT_EQ(in.failed(), !r.ok) << r.why;
    EXPECT_TRUE(in.at_end()) << r.why;
    LittleCursor over(exact.bytes());
    over.skip_leb();
    EXPECT_TRUE(over.at_end()) << r.why;
  }
}

TEST(DwarfCursor, ReadsBothByteOrders) {
  const auto little = Section().u8(1).u16(0x0203).text("\x06\x05\x04").u32(0x0708090A).u64(0x0B0C0D0E0F101112).finish();
  LittleCursor a(little);
  const auto big =
      Section().u8(1).u16_big(0x0203).text("\x04\x05\x06").u32_big(0x0708090A).u64_big(0x0B0C0D0E0F101112).finish();
  BigCursor b(big);
  for (const unsigned size : {1u, 2u, 3u, 4u, 8u}) EXPECT_EQ(a.fixed_size(size), b.fixed_size(size)) << size;
  EXPECT_TRUE(a.at_end() && b.at_end() && !a.failed() && !b.failed());
  a.seek(6);
  EXPECT_EQ(a.offset(4), 0x0708090Au);
  EXPECT_EQ(a.offset(8), 0x0B0C0D0E0F101112u);
  EXPECT_EQ(a.fixed_size(5), 0u);
  EXPECT_TRUE(a.failed());
}

TEST(DwarfCursor, ReadsInitialLengths) {
  struct Row {
    std::uint32_t first;
    std::uint64_t length;
    std::uint8_t offset_size;
    bool ok;
  };
  const Row rows[] = {
      {0x12, 0x12, 4, true},     {0xFFFFFFEF, 0xFFFFFFEF, 4, true},         {0xFFFFFFF0, 0, 4, false},
      {0xFFFFFFFE, 0, 4, false}, {0xFFFFFFFF, 0x1122334455667788, 8, true},
  };
  for (const Row& r : rows) {
    const auto bytes = Section().u32(r.first).u64(0x1122334455667788).finish();
    LittleCursor in(bytes);
    const InitialLength got = in.initial_length();
    EXPECT_EQ(got.length, r.length) << r.first;
    EXPECT_EQ(got.offset_size, r.offset_size) << r.first;
    EXPECT_EQ(in.failed(), !r.ok) << r.first;
  }
}

TEST(DwarfCursor, StaysAtTheEndOnceItFailed) {
  const Exact bytes(Section().c_string("text").u16(7).finish());
  LittleCursor in(bytes.bytes());
  EXPECT_EQ(in.c_string(), "text");
  EXPECT_EQ(in.position(), 5u);
  EXPECT_EQ(in.left(), 2u);
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_TRUE(in.failed());
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.u8(), 0u);
  EXPECT_EQ(in.uleb(), 0u);
  EXPECT_EQ(in.c_string(), "");
  EXPECT_TRUE(in.bytes(1).empty());
  in.seek(0);
  EXPECT_TRUE(in.at_end()) << "a failed cursor does not come back";

  LittleCursor open_text(bytes.bytes().first(4));
  EXPECT_EQ(open_text.c_string(), "");
  EXPECT_TRUE(open_text.failed());
  LittleCursor far(bytes.bytes(), 8);
  EXPECT_TRUE(far.failed());
  LittleCursor far_seek(bytes.bytes());
  far_seek.seek(8);
  EXPECT_TRUE(far_seek.failed());
  LittleCursor long_block(bytes.bytes());
  EXPECT_EQ(long_block.bytes(7).size(), 7u);
  EXPECT_FALSE(long_block.failed());
  long_block.skip(1);
  EXPECT_TRUE(long_block.failed());
}

}  // namespace
}  // namespace symcached::dwarf
