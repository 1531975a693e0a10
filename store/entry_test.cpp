#include "store/entry.hpp"

#include <gtest/gtest.h>

namespace symcached::store {
namespace {

Head absent() {
  return {.state = State::absent, .created = TimePoint(Milliseconds(1'700'000'000'123)), .key = "a.pdb/1"};
}

Head file() {
  Head head{.state = State::file,
            .quality = Quality::lines,
            .created = TimePoint(Milliseconds(5)),
            .payload_size = 3,
            .cost_ms = 1234,
            .key = "b.pdb/2"};
  head.payload_sha256 = sha256(as_bytes("xyz"));
  head.source_sha256 = sha256(as_bytes("original"));
  head.content = content_of(head.source_sha256);
  return head;
}

Head file_with_identity() {
  Head head = file();
  head.identity = "size=5369856 mtime=1732243.123456789 inode=42";
  return head;
}

std::uint64_t entry_size(const Head& head) { return write_head(head).size() + head.payload_size; }

TEST(Entry, RoundTrips) {
  for (const Head& head : {absent(), file(), file_with_identity()}) {
    const auto back = read_head(write_head(head), entry_size(head));
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(*back, head);
  }
  EXPECT_EQ(write_head(file()).size(), kPayloadOffset);
}

TEST(Entry, EveryCutIsRefused) {
  for (const Head& head : {absent(), file(), file_with_identity()}) {
    const auto whole = write_head(head);
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read_head(Bytes(whole).first(n), n)) << n << " bytes";
  }
}

TEST(Entry, EveryFlippedBitIsRefused) {
  for (const Head& head : {absent(), file(), file_with_identity()}) {
    auto bytes = write_head(head);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      bytes[bit / 8] ^= mask;
      EXPECT_FALSE(read_head(bytes, entry_size(head))) << "bit " << bit;
      bytes[bit / 8] ^= mask;
    }
  }
}

TEST(Entry, AnotherSizeOfTheFileIsRefused) {
  for (const Head& head : {absent(), file()}) {
    EXPECT_FALSE(read_head(write_head(head), entry_size(head) + 1));
    EXPECT_FALSE(read_head(write_head(head), entry_size(head) - 1));
  }
}

TEST(Entry, AnotherVersionIsRefused) {
  for (const int version : {0, 1, 2, 4}) {
    auto bytes = write_head(absent());
    bytes[offsetof(HeadRecord, version)] = static_cast<std::byte>(version);
    const auto read = read_head(bytes, bytes.size());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().field, "entry.version");
  }
}

TEST(Entry, EveryQualityIsKeptAndNoOther) {
  Head head = file();
  for (int quality = 0; quality < 6; ++quality) {
    head.quality = static_cast<Quality>(quality);
    EXPECT_EQ(read_head(write_head(head), entry_size(head)).has_value(), quality < 5) << quality;
  }
}

TEST(Entry, ContentIsTheStartOfADigest) {
  Sha256 digest{};
  digest[0] = std::byte{1};
  digest[7] = std::byte{2};
  digest[8] = std::byte{3};
  EXPECT_EQ(content_of(digest), 0x02000000'00000001u);
}

TEST(Entry, ALongIdentityIsCut) {
  Head head = file();
  head.identity.assign(kMaxIdentity + 100, 'i');
  const auto back = read_head(write_head(head), entry_size(head));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->identity.size(), kMaxIdentity);
}

TEST(Entry, TextsAreOneLine) {
  struct Row {
    std::string_view why, text, want;
  };
  const Row rows[] = {
      {"as it is", "etag=\"x\" \xc3\xa4", "etag=\"x\" \xc3\xa4"},
      {"control characters", "a\r\nb\tc\x7f", "a  b c "},
      {"cut", "0123456789abcdefg", "0123456789abcdef"},
      {"empty", "", ""},
  };
  for (const Row& r : rows) EXPECT_EQ(one_line(r.text, 16), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::store
