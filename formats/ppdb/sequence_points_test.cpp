#include "formats/ppdb/sequence_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/managed/portable_pdb.hpp"

namespace symcached::ppdb {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testkit::hidden;
using testkit::point;
using testkit::Section;

std::vector<SequencePoint> all_of(SequencePoints points) {
  std::vector<SequencePoint> out;
  for (SequencePoint p; points.next(p);) out.push_back(p);
  EXPECT_FALSE(points.error()) << to_string(*points.error());
  return out;
}

TEST(BlobNumbers, UnsignedAndSigned) {  // the examples of ECMA-335, II.23.2
  struct NumberRow {
    std::vector<std::uint8_t> bytes;
    std::uint32_t plain;
    std::int32_t with_sign;
  };
  const NumberRow rows[] = {
      {{0x03}, 0x03, -0x40 + 1},
      {{0x06}, 0x06, 3},
      {{0x7B}, 0x7B, -3},
      {{0x7F}, 0x7F, -1},
      {{0x01}, 0x01, -64},
      {{0x80, 0x80}, 0x80, 64},
      {{0xAE, 0x57}, 0x2E57, -2261},
      {{0xBF, 0xFF}, 0x3FFF, -1},
      {{0x80, 0x01}, 0x01, -8192},
      {{0xC0, 0x00, 0x40, 0x00}, 0x4000, 8192},
      {{0xDF, 0xFF, 0xFF, 0xFF}, 0x1FFFFFFF, -1},
      {{0xDF, 0xFF, 0xFF, 0xFE}, 0x1FFFFFFE, 268435455},
      {{0xC0, 0x00, 0x00, 0x01}, 0x1, -268435456},
  };
  for (const NumberRow& r : rows) {
    const Bytes bytes = std::as_bytes(std::span(r.bytes));
    BlobCursor plain(bytes), with_sign(bytes);
    EXPECT_EQ(plain.number(), r.plain);
    EXPECT_EQ(with_sign.signed_number(), r.with_sign);
    EXPECT_TRUE(plain.at_end() && !plain.failed() && !with_sign.failed());
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      BlobCursor in(bytes.first(cut));
      EXPECT_EQ(in.number(), 0u);
      EXPECT_TRUE(in.failed());
    }
  }
  const std::uint8_t reserved[] = {0xE0, 0, 0, 0};
  BlobCursor in(std::as_bytes(std::span(reserved)));
  in.signed_number();
  EXPECT_TRUE(in.failed()) << "111 at the top stands for nothing";
}

TEST(SequencePoints, EverythingThatIsWrittenIsRead) {
  const std::vector<SequencePoint> cases[] = {
      {point(0, 1, 1, 1, 2)},
      {point(5, 0, 0, 0, 1)},
      {hidden(0)},
      {hidden(0), hidden(1), point(2, 7, 7, 8, 1), hidden(3), point(4, 3, 9, 3, 10)},
      {point(0, 10, 200, 12, 1), point(1, 9, 1, 9, 200), point(1000, 5000, 300, 5000, 301)},
      {point(0, 1, 1, 1, 2, 3), point(1, 1, 1, 1, 2, 1), hidden(2, 2), point(3, 100, 1, 100, 2, 2)},
      {point(kMaxIlOffset - 1, kMaxLine - 1, kMaxColumn - 2, kMaxLine - 1, kMaxColumn - 1)},
      {point(0, 1, 0, kMaxLine - 1, kMaxColumn - 1), point(1, 0x0FFFFFFF, 5, 0x0FFFFFFF, 6)},
      {point(0, kHiddenLine - 1, 1, kHiddenLine + 1, 1)},
  };
  for (const auto& want : cases) {
    const auto [blob, document] = testkit::encode_points({want, 77});
    const SequencePoints points(blob, document, 3);
    EXPECT_EQ(points.local_signature(), 77u);
    EXPECT_THAT(all_of(points), ElementsAreArray(want));
  }
  EXPECT_THAT(all_of(SequencePoints({}, 0, 0)), ElementsAre());
  EXPECT_THAT(all_of(SequencePoints(Section().u8(0).finish(), 1, 1)), ElementsAre()) << "a header alone";
}

TEST(SequencePoints, TheHiddenLineIsHiddenHoweverWritten) {
  Section out;
  put_number(out.u8(0).u8(4).u8(0).u8(5), kHiddenLine).u8(1);
  out.u8(1).u8(0).u8(1);
  put_signed(out, 1 - static_cast<std::int32_t>(kHiddenLine)).u8(0);
  const auto blob = out.finish();
  EXPECT_THAT(all_of(SequencePoints(blob, 1, 1)), ElementsAre(hidden(4), point(5, 1, 1, 1, 2)));
}

TEST(SequencePoints, WhatBreaksTheRulesIsNamed) {
  struct ErrorRow {
    std::string_view why;
    std::vector<std::byte> blob;
    std::uint32_t document;
    std::string_view field;
    std::size_t before;  ///< points that are still given
  };
  const auto number = [](Section out, std::uint32_t value) { return testkit::put_number(out, value); };
  const auto with_sign = [](Section out, std::int32_t value) { return testkit::put_signed(out, value); };
  const Section one = Section().u8(0).u8(0).u8(0).u8(1).u8(1).u8(1);  // at 0, line 1, columns 1 to 2
  const Section next = Section(one).u8(1).u8(0).u8(1);
  constexpr std::string_view kPoint = "ppdb.sequence_points.point", kDocument = "ppdb.sequence_points.document";
  constexpr std::string_view kIl = "ppdb.sequence_points.il_offset", kHeader = "ppdb.sequence_points.header";
  const ErrorRow rows[] = {
      {"a header cut short", Section().u8(0x80).finish(), 1, kHeader, 0},
      {"no document behind it", Section().u8(0).finish(), 0, kHeader, 0},
      {"document 0", Section().u8(0).u8(0).u8(0).u8(0).u8(0).finish(), 0, kDocument, 0},
      {"a document too far", Section(one).finish(), 3, kDocument, 0},
      {"a record's document too far", Section(one).u8(0).u8(3).u8(1).u8(0).u8(0).finish(), 1, kDocument, 1},
      {"a record's document 0", Section(one).u8(0).u8(0).u8(1).u8(0).u8(0).finish(), 1, kDocument, 1},
      {"a document record at the end", Section(one).u8(0).u8(2).finish(), 1, kPoint, 1},
      {"a record cut in its document", Section(one).u8(0).finish(), 1, kPoint, 1},
      {"cut before the lines", Section(one).u8(1).finish(), 1, kIl, 1},
      {"cut before the columns", Section(one).u8(1).u8(1).finish(), 1, kPoint, 1},
      {"cut before the start", Section(next).finish(), 1, kPoint, 1},
      {"cut before the start column", Section(next).u8(0).finish(), 1, kPoint, 1},
      {"a line below 0", with_sign(next, -2).u8(0).finish(), 1, kPoint, 1},
      {"a column below 0", with_sign(Section(next).u8(0), -2).finish(), 1, kPoint, 1},
      {"a column too far", with_sign(Section(next).u8(0), 0xFFFF).finish(), 1, kPoint, 1},
      {"an end column too far", with_sign(Section(next).u8(0), 0xFFFE).finish(), 1, kPoint, 1},
      {"an end column below 0", with_sign(Section(one).u8(1).u8(1), -2).u8(0).u8(0).finish(), 1, kPoint, 1},
      {"an end line too far", number(Section(one).u8(1), 0x1FFFFFFF).u8(0).u8(0).u8(0).finish(), 1, kPoint, 1},
      {"IL too far", number(Section(one), 0x1FFFFFFF).u8(0).u8(0).u8(1).u8(0).u8(0).finish(), 1, kIl, 2},
  };
  for (const ErrorRow& r : rows) {
    SequencePoints points(r.blob, r.document, 2, 1000);
    std::size_t count = 0;
    for (SequencePoint p; points.next(p);) ++count;
    EXPECT_EQ(count, r.before) << r.why;
    ASSERT_TRUE(points.error()) << r.why;
    EXPECT_EQ(points.error()->field, r.field) << r.why;
    EXPECT_GE(points.error()->offset, 1000u) << r.why;
    SequencePoint p;
    EXPECT_FALSE(points.next(p)) << r.why << ": it stays at the end";
  }
}

}  // namespace
}  // namespace symcached::ppdb
