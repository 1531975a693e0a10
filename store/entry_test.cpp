#include "store/entry.hpp"

#include <gtest/gtest.h>

namespace symcached::store {
namespace {

Head absent() {
  return {.state = State::absent, .created = TimePoint(Milliseconds(1'700'000'000'123)), .boot = 7, .key = "a.pdb/1"};
}

Head file() {
  Head head{.state = State::file,
            .quality = Quality::preferred,
            .created = TimePoint(Milliseconds(5)),
            .boot = ~0ull,
            .payload_size = 3,
            .key = "b.pdb/2"};
  head.payload_sha256 = sha256(as_bytes("xyz"));
  return head;
}

Head unavailable() {
  Head head = absent();
  head.state = State::unavailable;
  head.failures = 3;
  head.reason = "source answered 503";
  return head;
}

std::uint64_t entry_size(const Head& head) { return write_head(head).size() + head.payload_size; }

TEST(Entry, RoundTrips) {
  for (const Head& head : {absent(), file(), unavailable()}) {
    const auto back = read_head(write_head(head), entry_size(head));
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(*back, head);
  }
  EXPECT_EQ(write_head(file()).size(), kPayloadOffset);
}

TEST(Entry, EveryCutIsRefused) {
  for (const Head& head : {absent(), file(), unavailable()}) {
    const auto whole = write_head(head);
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read_head(Bytes(whole).first(n), n)) << n << " bytes";
  }
}

TEST(Entry, EveryFlippedBitIsRefused) {
  for (const Head& head : {absent(), file(), unavailable()}) {
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

TEST(Entry, ALongReasonIsCut) {
  Head head = unavailable();
  head.reason.assign(kMaxReason + 100, 'r');
  const auto back = read_head(write_head(head), sizeof(HeadRecord) + head.key.size() + kMaxReason);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->reason.size(), kMaxReason);
}

}  // namespace
}  // namespace symcached::store
