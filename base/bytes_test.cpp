#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/byte_writer.hpp"
#include "testing/assembler.hpp"

namespace symcached {
namespace {

using testkit::Section;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

struct PairRecord {
  u32le first;
  u16be second;
};
static_assert(sizeof(PairRecord) == 6 && alignof(PairRecord) == 1);

TEST(ByteReader, ReadsFrontToBack) {
  const auto bytes = Section().u32(0x01020304).u16_big(0x0506).c_string("name").text("tail").finish();
  ByteReader in(bytes);
  const auto pair = in.read<PairRecord>("pair");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->first, 0x01020304u);
  EXPECT_EQ(pair->second, 0x0506u);
  EXPECT_EQ(in.c_string("name"), "name");
  EXPECT_EQ(in.position(), 11u);
  EXPECT_EQ(in.left(), 4u);
  EXPECT_EQ(as_text(in.rest()), "tail");
  EXPECT_TRUE(in.skip(2, "skip"));
  EXPECT_EQ(as_text(*in.take(2, "take")), "il");
  EXPECT_TRUE(in.at_end());
}

TEST(ByteReader, AFailedReadDoesNotMoveAndSaysWhatItWanted) {
  const auto bytes = Section().text("0123456789").finish();  // ten bytes, no NUL
  struct Row {
    std::string_view why;
    std::size_t skip;
    std::optional<ReadError> (*act)(ByteReader&);
    std::uint64_t wanted;
  };
  const auto error = [](const auto& read) { return read ? std::nullopt : std::optional(read.error()); };
  static const auto error_of = error;
  const Row rows[] = {
      {"take one too many", 0, [](ByteReader& in) { return error_of(in.take(11, "f")); }, 11},
      {"take at the end", 10, [](ByteReader& in) { return error_of(in.take(1, "f")); }, 1},
      {"take a huge count", 4, [](ByteReader& in) { return error_of(in.take(kHuge, "f")); }, kHuge},
      {"a count that would wrap around to 0", 4, [](ByteReader& in) { return error_of(in.take(kHuge - 3, "f")); },
       kHuge - 3},
      {"skip", 9, [](ByteReader& in) { return error_of(in.skip(2, "f")); }, 2},
      {"skip a huge count", 1, [](ByteReader& in) { return error_of(in.skip(kHuge, "f")); }, kHuge},
      {"a record over the end", 5, [](ByteReader& in) { return error_of(in.read<PairRecord>("f")); }, 6},
      {"an array over the end", 0, [](ByteReader& in) { return error_of(in.array<u32le>(3, "f")); }, 12},
      {"a text without end", 3, [](ByteReader& in) { return error_of(in.c_string("f")); }, 8},
      {"a text at the end", 10, [](ByteReader& in) { return error_of(in.c_string("f")); }, 1},
  };
  for (const Row& r : rows) {
    ByteReader in(bytes, 100);
    ASSERT_TRUE(in.skip(r.skip, "start"));
    const auto failed = r.act(in);
    ASSERT_TRUE(failed) << r.why;
    EXPECT_EQ(in.position(), r.skip) << r.why;
    EXPECT_EQ(failed->kind, ReadError::Kind::truncated) << r.why;
    EXPECT_EQ(failed->offset, 100 + r.skip) << r.why << ": counted from the start of the input";
    EXPECT_EQ(failed->field, "f") << r.why;
    EXPECT_EQ(failed->wanted, r.wanted) << r.why;
    EXPECT_EQ(failed->found, 10 - r.skip) << r.why;
  }
}

TEST(ByteReader, CountsTimesSizesDoNotOverflow) {
  const auto bytes = Section().zeros(64).finish();
  const std::uint64_t counts[] = {17, kHuge, kHuge / 4 + 1, kHuge / 4 + 2, 1ULL << 62, 1ULL << 63};
  for (const std::uint64_t count : counts) {
    ByteReader in(bytes);
    EXPECT_FALSE(in.array<u32le>(count, "count")) << count;
    EXPECT_EQ(in.position(), 0u) << count;
  }
  ByteReader in(bytes);
  EXPECT_EQ(in.array<u32le>(16, "count")->size(), 16u);
  EXPECT_TRUE(in.array<u32le>(0, "count")->empty());
}

TEST(ByteReader, ArraysAreViewsIntoTheInput) {
  const auto bytes = Section().u8(0).u32(7).u32(8).finish();
  ByteReader in(bytes);
  ASSERT_TRUE(in.skip(1, "odd address"));
  const auto numbers = in.array<u32le>(2, "numbers");
  ASSERT_TRUE(numbers);
  EXPECT_EQ((*numbers)[1], 8u);
  EXPECT_EQ(static_cast<const void*>(numbers->data()), bytes.data() + 1);
}

TEST(ByteReader, AlignStopsAtTheEnd) {
  const auto bytes = Section().zeros(10).finish();
  struct Row {
    std::size_t at, alignment, want;
  };
  const Row rows[] = {{0, 4, 0}, {1, 4, 4}, {4, 4, 4}, {5, 1, 5}, {9, 4, 10}, {9, 1024, 10}, {10, 8, 10}};
  for (const Row& r : rows) {
    ByteReader in(bytes);
    ASSERT_TRUE(in.skip(r.at, "start"));
    in.align(r.alignment);
    EXPECT_EQ(in.position(), r.want) << r.at << " to " << r.alignment;
  }
}

TEST(ByteReader, AnEmptyInput) {
  ByteReader in{Bytes()};
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(in.take(0, "nothing"));
  EXPECT_TRUE(in.array<u64le>(0, "nothing"));
  EXPECT_FALSE(in.c_string("text"));
  EXPECT_FALSE(in.read<u8le>("byte"));
}

TEST(Bytes, RecordsAndSlicesAtOffsets) {
  const auto bytes = Section().u32(1).u32(2).finish();
  struct Row {
    std::uint64_t offset, size;
    bool ok;
    std::uint64_t left;
  };
  const Row rows[] = {
      {0, 8, true, 0},  {4, 4, true, 0},      {8, 0, true, 0},      {0, 9, false, 8},         {5, 4, false, 3},
      {9, 0, false, 0}, {kHuge, 1, false, 0}, {4, kHuge, false, 4}, {kHuge, kHuge, false, 0},
  };
  for (const Row& r : rows) {
    const auto found = slice(bytes, r.offset, r.size, "slice");
    ASSERT_EQ(found.has_value(), r.ok) << r.offset << "+" << r.size;
    if (r.ok) EXPECT_EQ(found->size(), r.size);
    else EXPECT_EQ(found.error().found, r.left) << r.offset << "+" << r.size;
  }
  EXPECT_EQ(*read_at<u32le>(bytes, 4, "number"), 2u);
  EXPECT_FALSE(read_at<u32le>(bytes, 5, "number"));
  EXPECT_FALSE(read_at<u32le>(bytes, kHuge, "number"));
}

TEST(ReadErrorText, SaysTheProblemThenFieldAndPlace) {
  struct Row {
    ReadError error;
    std::string_view want;
  };
  const Row rows[] = {
      {truncated("elf.shdr", 64, 128, 5).error(), "truncated: 5 of 128 bytes (elf.shdr at offset 64)"},
      {unpacks_too_large("elf.x", 8, 70000, 65536).error(),
       "decompresses to 70000 more bytes, over the limit of 65536 for the whole file; set another limit with convert "
       "--max-unpacked (elf.x at offset 8)"},
      {too_large("pdb.streams", 8, 70000, 65536).error(),
       "too large: 70000, the limit is 65536 (pdb.streams at offset 8)"},
      {bad_value("pe.signature", 60, 0x454E, 0x4550).error(),
       "malformed: 0x454e, expected 0x4550 (pe.signature at offset 60)"},
      {bad_value("pe.rva", 60, 0x10).error(), "malformed: 0x10 (pe.rva at offset 60)"},
      {unsupported("too old (pdb.info); link again", 8).error(), "too old (pdb.info); link again"},
  };
  for (const Row& r : rows) EXPECT_EQ(to_string(r.error), r.want);
}

Read<std::uint32_t> sum_of_two(Bytes bytes) {
  ByteReader in(bytes);
  SC_TRY(const auto first, in.read<u32le>("first"));
  SC_TRY(const auto second, in.read<u32le>("second"));
  return first + second;
}

TEST(ScTry, PassesValuesOnAndErrorsUp) {
  EXPECT_EQ(sum_of_two(Section().u32(3).u32(4).finish()).value_or(0), 7u);
  const auto cut = sum_of_two(Section().u32(3).u16(4).finish());
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().field, "second");
}

}  // namespace
}  // namespace symcached
