#include "store/journal_record.hpp"

#include <gtest/gtest.h>

#include "base/byte_writer.hpp"

namespace symcached::store {
namespace {

constexpr std::string_view kPlaceText = "symcaches/v1/global";
const Account kAccount{
    .blocks = 7, .last_use = 1'700'000'000, .cost_ms = 1234, .content = 0x1122334455667788, .absent = true};

std::vector<std::byte> whole() {
  ByteWriter out;
  out.put(place_record(kPlaceText));
  out.put(put_record(place_hash(kPlaceText), sha256(as_bytes("a")), kAccount));
  out.put(gone_record(place_hash(kPlaceText), sha256(as_bytes("b"))));
  return std::move(out).finish();
}

std::string say(Bytes data) {
  std::string text;
  const std::size_t read = read_journal(data, [&](const Said& said) {
    text += std::to_string(static_cast<int>(said.event)) + std::string(said.place);
    if (said.event == Event::put) {
      EXPECT_EQ(said.account, kAccount);
    }
    if (said.event != Event::place) {
      EXPECT_EQ(said.place_hash, place_hash(kPlaceText));
      EXPECT_EQ(said.digest, sha256(as_bytes(said.event == Event::put ? "a" : "b")));
    }
    text += ' ';
  });
  return text + "+" + std::to_string(data.size() - read);
}

TEST(JournalRecord, RoundTrips) { EXPECT_EQ(say(whole()), "1symcaches/v1/global 2 3 +0"); }

TEST(JournalRecord, ACutCostsOneRecordAlone) {
  const auto records = whole();
  const std::size_t size = sizeof(JournalRecord);
  for (std::size_t cut = 2 * size; cut < 3 * size; ++cut)
    EXPECT_EQ(say(Bytes(records).first(cut)), "1symcaches/v1/global 2 +" + std::to_string(cut - 2 * size));
  for (std::size_t cut = 1; cut < size; ++cut) {  // somebody was killed, and others went on
    std::vector<std::byte> torn(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(cut));
    torn.insert(torn.end(), records.begin(), records.end());
    EXPECT_EQ(say(torn), "1symcaches/v1/global 2 3 +0") << cut;
  }
}

TEST(JournalRecord, EveryFlippedBitCostsOneRecordAlone) {
  auto records = whole();
  for (std::size_t bit = 0; bit < records.size() * 8; ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    records[bit / 8] ^= mask;
    const std::string said = say(records);
    const std::size_t record = bit / 8 / sizeof(JournalRecord);
    const std::string_view want[] = {"2 3 +0", "1symcaches/v1/global 3 +0", "1symcaches/v1/global 2 +"};
    EXPECT_TRUE(said.starts_with(want[record])) << bit << ": " << said;
    records[bit / 8] ^= mask;
  }
}

TEST(JournalRecord, APlaceThatIsNoneIsNotRead) {
  for (const std::string_view bad : {"../../etc", "symcaches/v1/..", ""}) {
    const JournalRecord record = place_record(bad);
    EXPECT_EQ(say(std::as_bytes(std::span(&record, 1))), "+0") << bad;
  }
}

}  // namespace
}  // namespace symcached::store
