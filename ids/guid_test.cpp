#include "ids/guid.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

constexpr std::string_view kDashed = "3249d99d-0c40-4931-8610-f4e4fb0b6936";

TEST(Guid, ParsesTheFiveSpellings) {
  struct Row {
    std::string_view why, text;
  };
  const Row rows[] = {
      {"N", "3249d99d0c4049318610f4e4fb0b6936"},
      {"N upper", "3249D99D0C4049318610F4E4FB0B6936"},
      {"D", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"D upper", "3249D99D-0C40-4931-8610-F4E4FB0B6936"},
      {"D mixed", "3249D99d-0C40-4931-8610-f4e4FB0B6936"},
      {"B", "{3249d99d-0c40-4931-8610-f4e4fb0b6936}"},
      {"P", "(3249D99D-0C40-4931-8610-F4E4FB0B6936)"},
      {"X", "{0x3249d99d,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}"},
      {"X without leading zeros, upper", "{0X3249D99D,0XC40,0X4931,{0X86,0X10,0XF4,0XE4,0XFB,0XB,0X69,0X36}}"},
  };
  for (const Row& r : rows) {
    const auto guid = Guid::parse(r.text);
    ASSERT_TRUE(guid) << r.why;
    EXPECT_EQ(guid->dashed(), kDashed) << r.why;
  }
}

TEST(Guid, RefusesWhatIsNone) {
  struct Row {
    std::string_view why, text;
  };
  const Row rows[] = {
      {"empty", ""},
      {"31 digits", "3249d99d0c4049318610f4e4fb0b693"},
      {"33 digits", "3249d99d0c4049318610f4e4fb0b69361"},
      {"no digit", "3249d99d0c4049318610f4e4fb0b693g"},
      {"a sign", "+249d99d0c4049318610f4e4fb0b6936"},
      {"a blank in front", " 249d99d0c4049318610f4e4fb0b6936"},
      {"dashes elsewhere", "3249d99d0-c40-4931-8610-f4e4fb0b6936"},
      {"a dash too many", "3249d99d-0c40-4931-8610-f4e4-b0b6936"},
      {"a dash missing", "3249d99d-0c40-4931-8610af4e4fb0b6936"},
      {"brackets that do not match", "{3249d99d-0c40-4931-8610-f4e4fb0b6936)"},
      {"braces and no dashes", "{3249d99d0c4049318610f4e4fb0b6936}"},
      {"only opened", "{3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"X, inner brace open", "{0x3249d99d,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}"},
      {"X, a number too wide", "{0x3249d99d1,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}"},
      {"X, a number without digits", "{0x,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}"},
      {"X, a number without 0x", "{0x3249d99d,0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}"},
      {"X, a number missing", "{0x3249d99d,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69}}"},
      {"X, a tail", "{0x3249d99d,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}x"},
      {"X, cut at once", "{0x"},
  };
  for (const Row& r : rows) EXPECT_FALSE(Guid::parse(r.text)) << r.why;
}

TEST(Guid, WindowsSwapsTheFirstThreeFields) {
  const std::array<std::uint8_t, 16> disk{0x9D, 0xD9, 0x49, 0x32, 0x40, 0x0C, 0x31, 0x49,
                                          0x86, 0x10, 0xF4, 0xE4, 0xFB, 0x0B, 0x69, 0x36};
  const Guid guid = Guid::from_windows(disk);
  EXPECT_EQ(guid.dashed(), kDashed);
  EXPECT_EQ(guid.hex_upper(), "3249D99D0C4049318610F4E4FB0B6936");
  EXPECT_EQ(guid.hex_lower(), "3249d99d0c4049318610f4e4fb0b6936");
}

TEST(Guid, ComparesAsPrinted) {
  const Guid low = *Guid::parse("00000000000000000000000000000001");
  const Guid high = *Guid::parse("01000000000000000000000000000000");
  EXPECT_LT(low, high);
  EXPECT_FALSE(low.is_zero());
  EXPECT_TRUE(Guid().is_zero());
}

TEST(DebugId, Prints) {
  struct Row {
    std::uint32_t age;
    std::string_view breakpad, dashed;
  };
  const Row rows[] = {
      {0, "3249D99D0C4049318610F4E4FB0B69360", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {1, "3249D99D0C4049318610F4E4FB0B69361", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1"},
      {26, "3249D99D0C4049318610F4E4FB0B69361a", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a"},
      {0xFFFFFFFF, "3249D99D0C4049318610F4E4FB0B6936ffffffff", "3249d99d-0c40-4931-8610-f4e4fb0b6936-ffffffff"},
  };
  for (const Row& r : rows) {
    const DebugId id{*Guid::parse(kDashed), r.age};
    EXPECT_EQ(id.breakpad(), r.breakpad);
    EXPECT_EQ(id.dashed(), r.dashed);
  }
}

TEST(DebugId, ReadsEitherForm) {
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"C0BCC3F19827FE653058404B2831D9E60", "c0bcc3f1-9827-fe65-3058-404b2831d9e6"},
      {"3249D99D0C4049318610F4E4FB0B693612", "3249d99d-0c40-4931-8610-f4e4fb0b6936-12"},
      {"3249d99d0c4049318610f4e4fb0b6936ffffffff", "3249d99d-0c40-4931-8610-f4e4fb0b6936-ffffffff"},
      {"3249D99D0C4049318610F4E4FB0B6936", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"3249d99d-0c40-4931-8610-f4e4fb0b6936-1a", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a"},
      {"3249d99d-0c40-4931-8610-f4e4fb0b6936", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"3249D99D0C4049318610F4E4FB0B693", "none"},
      {"3249D99D0C4049318610F4E4FB0B6936100000000", "none"},
      {"3249D99D0C4049318610F4E4FB0B6936x", "none"},
      {"x249D99D0C4049318610F4E4FB0B69361", "none"},
      {"5AB380771", "none"},
      {"", "none"},
  };
  for (const Row& r : rows) {
    const auto id = DebugId::parse(r.text);
    EXPECT_EQ(id ? id->dashed() : "none", r.want) << r.text;
  }
}

TEST(DebugId, OrdersByGuidThenAge) {
  const Guid guid = *Guid::parse(kDashed);
  EXPECT_LT((DebugId{guid, 1}), (DebugId{guid, 2}));
  EXPECT_LT((DebugId{Guid(), 9}), (DebugId{guid, 1}));
  EXPECT_EQ((DebugId{guid, 1}), (DebugId{guid, 1}));
}

TEST(PeCodeId, PadsTheTimestampOnly) {
  struct Row {
    std::uint32_t timestamp, size;
    std::string_view want;
  };
  const Row rows[] = {
      {0x5AB38077, 0x9000, "5AB380779000"},
      {0xABC, 0x1AB000, "00000ABC1ab000"},
      {0, 0, "000000000"},
      {0xFFFFFFFF, 0xFFFFFFFF, "FFFFFFFFffffffff"},
  };
  for (const Row& r : rows) EXPECT_EQ(pe_code_id(r.timestamp, r.size), r.want);
}

}  // namespace
}  // namespace symcached
