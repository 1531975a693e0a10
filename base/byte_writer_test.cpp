#include "base/byte_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/endian.hpp"
#include "testing/assembler.hpp"

namespace symcached {
namespace {

using testkit::Section;

template <class T>
std::vector<int> bytes_of(const T& value) {
  std::vector<int> out;
  for (const std::byte b : std::as_bytes(std::span(&value, 1))) out.push_back(std::to_integer<int>(b));
  return out;
}

TEST(Endian, LittleAndBigAsBytes) {
  using testing::ElementsAre;
  EXPECT_THAT(bytes_of(u8le(0xFE)), ElementsAre(0xFE));
  EXPECT_THAT(bytes_of(u16le(0x0102)), ElementsAre(2, 1));
  EXPECT_THAT(bytes_of(u32le(0x01020304)), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(bytes_of(u64le(0x0102030405060708)), ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(bytes_of(u16be(0x0102)), ElementsAre(1, 2));
  EXPECT_THAT(bytes_of(u32be(0x01020304)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bytes_of(u64be(0x0102030405060708)), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(bytes_of(i16le(-2)), ElementsAre(0xFE, 0xFF));
  EXPECT_THAT(bytes_of(i32le(-2)), ElementsAre(0xFE, 0xFF, 0xFF, 0xFF));
}

TEST(Endian, ValuesComeBack) {
  EXPECT_EQ(u16be(0xFFFE), 0xFFFE);
  EXPECT_EQ(u32be(0xFFFFFFFE), 0xFFFFFFFE);
  EXPECT_EQ(u64be(0xFFFFFFFFFFFFFFFE), 0xFFFFFFFFFFFFFFFE);
  EXPECT_EQ(i16le(-32768), -32768);
  EXPECT_EQ(i32le(std::numeric_limits<std::int32_t>::min()), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(u32le(), 0u);
}

TEST(ByteWriter, PutsFrontToBack) {
  ByteWriter out;
  out.put(u32le(0x01020304));
  out.put_u8(5);
  out.put_text("ab");
  out.put_bytes(as_bytes("cd"));
  out.align(8);
  EXPECT_EQ(out.size(), 16u);
  out.align(8);
  EXPECT_EQ(out.size(), 16u) << "aligned already";
  out.patch(4, u8le(6));
  EXPECT_EQ(std::move(out).finish(), Section().u32(0x01020304).u8(6).text("abcd").zeros(7).finish());
}

TEST(ByteWriter, ClearForgetsWhatWasWritten) {
  ByteWriter out;
  out.put_text("old");
  out.clear();
  out.align(4);
  EXPECT_EQ(out.size(), 0u);
  out.put_u8(1);
  out.align(4);
  EXPECT_EQ(std::move(out).finish(), Section().u8(1).zeros(3).finish()) << "padding is zero";
}

TEST(ByteWriter, Uleb128) {
  struct Row {
    std::uint64_t value;
    std::vector<std::byte> want;
  };
  const auto bytes = [](std::initializer_list<int> from) {
    Section out;
    for (const int b : from) out.u8(static_cast<std::uint8_t>(b));
    return out.finish();
  };
  const Row rows[] = {
      {0, bytes({0})},
      {1, bytes({1})},
      {0x7F, bytes({0x7F})},
      {0x80, bytes({0x80, 0x01})},
      {624485, bytes({0xE5, 0x8E, 0x26})},
      {0xFFFFFFFF, bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F})},
      {std::numeric_limits<std::uint64_t>::max(), bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})},
  };
  for (const Row& r : rows) {
    ByteWriter out;
    out.put_uleb(r.value);
    EXPECT_EQ(std::move(out).finish(), r.want) << r.value;
  }
}

TEST(Zigzag, SmallMagnitudesStaySmall) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  struct Row {
    std::int64_t value;
    std::uint64_t want;
  };
  const Row rows[] = {{0, 0},
                      {-1, 1},
                      {1, 2},
                      {-2, 3},
                      {2, 4},
                      {-64, 127},
                      {kMax, std::numeric_limits<std::uint64_t>::max() - 1},
                      {kMin, std::numeric_limits<std::uint64_t>::max()}};
  for (const Row& r : rows) {
    EXPECT_EQ(zigzag(r.value), r.want) << r.value;
    EXPECT_EQ(unzigzag(r.want), r.value) << r.want;
  }
}

}  // namespace
}  // namespace symcached
