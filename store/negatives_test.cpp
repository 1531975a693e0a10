#include "store/negatives.hpp"

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

const TimePoint kChecked(Milliseconds(1234));
const TimePoint kRetry(Milliseconds(5678));

Failing failing(std::string why, std::string identity = {}, TimePoint when = kChecked) {
  return {when, kRetry, 3, std::move(why), std::move(identity)};
}

bool worth_keeping(const Lookup& lookup) {
  const auto* absent = std::get_if<Absent>(&lookup);
  return absent != nullptr && absent->worth_keeping;
}

bool is_there(const Negatives& negatives, std::string_view name) { return negatives.peek(name).has_value(); }

TEST(Negatives, RemembersEveryStateWithAllItSays) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  const std::string identity = "size=5369856 mtime=1732243.123456789 inode=42";
  store->remember(kKey, Absent{kChecked});
  EXPECT_EQ(std::get<Absent>(store->lookup(kKey)).checked, kChecked);
  store->remember(kKey, Malformed{failing("not a PDB", identity)});
  const auto malformed = std::get<Malformed>(store->lookup(kKey));
  EXPECT_EQ(malformed.checked, kChecked);
  EXPECT_EQ(malformed.why, "not a PDB");
  EXPECT_EQ(malformed.identity, identity);
  const auto check = [&](const auto& failed) {
    EXPECT_EQ(failed.checked, kChecked);
    EXPECT_EQ(failed.retry_at, kRetry);
    EXPECT_EQ(failed.failures, 3);
    EXPECT_EQ(failed.why, "why");
    EXPECT_EQ(failed.identity, identity);
  };
  store->remember(kKey, NotWhole{failing("why", identity)});
  check(std::get<NotWhole>(store->lookup(kKey)));
  store->remember(kKey, Crashed{failing("why", identity)});
  check(std::get<Crashed>(store->lookup(kKey)));
  store->remember(kKey, TimedOut{failing("why", identity)});
  check(std::get<TimedOut>(store->lookup(kKey)));
  store->remember(kKey, Forbidden{failing("why", identity)});
  check(std::get<Forbidden>(store->lookup(kKey)));
  store->remember(kKey, RateLimited{failing("why", identity)});
  check(std::get<RateLimited>(store->lookup(kKey)));
  store->remember(kKey, Unavailable{failing("why", identity)});
  check(std::get<Unavailable>(*store->lookup_checked(kKey)));
  EXPECT_EQ(entries_in(folder.path()), 0u) << "all of it in memory";
  EXPECT_EQ(say(open_store(folder.path(), 2)->lookup(kKey)), "miss") << "another run knows nothing of it";
  put(*store, "payload");
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
  store->remove(kKey);
  EXPECT_EQ(say(store->lookup(kKey)), "miss") << "publishing dropped it";
}

TEST(Negatives, TextsAreCutAndOneLine) {
  Negatives negatives({});
  negatives.put("a", Crashed{failing("line\nline" + std::string(2000, 'w'), "id\n" + std::string(2000, 'i'))});
  const auto crashed = std::get<Crashed>(negatives.find("a").value());
  EXPECT_EQ(crashed.why.size(), kMaxReason);
  EXPECT_EQ(crashed.why.substr(0, 9), "line line");
  EXPECT_EQ(crashed.identity.size(), kMaxIdentity);
  EXPECT_EQ(crashed.identity.substr(0, 3), "id ");
}

TEST(Negatives, ForgetsWhatWasAskedForLongestAgo) {
  Negatives negatives({.entries = 3});
  for (const char* name : {"a", "b", "c"}) negatives.put(name, Absent{kChecked});
  EXPECT_TRUE(negatives.find("a"));
  negatives.put("d", Absent{kChecked});
  EXPECT_FALSE(is_there(negatives, "b"));
  for (const char* name : {"a", "c", "d"}) EXPECT_TRUE(is_there(negatives, name)) << name;
  negatives.put("c", Malformed{failing("why")});
  EXPECT_EQ(negatives.size(), 3u) << "replaced, not added";
}

TEST(Negatives, CountsBytes) {
  const std::size_t one = 1 + 3 + 2 + kNegativeOverhead;
  Negatives negatives({.entries = 100, .bytes = 2 * one});
  negatives.put("a", Malformed{failing("why", "id")});
  EXPECT_EQ(negatives.bytes(), one);
  negatives.put("a", Malformed{failing("why", "id")});
  EXPECT_EQ(negatives.bytes(), one);
  negatives.put("b", Malformed{failing("why", "id")});
  negatives.put("c", Malformed{failing("why", "id")});
  EXPECT_EQ(negatives.bytes(), 2 * one);
  EXPECT_FALSE(is_there(negatives, "a"));
  negatives.put("d", Malformed{failing(std::string(1000, 'w'))});
  EXPECT_EQ(negatives.size(), 0u) << "more than all there is";
  EXPECT_EQ(negatives.bytes(), 0u);
  negatives.put("a", Absent{kChecked});
  negatives.drop("a");
  negatives.drop("never put");
  EXPECT_EQ(negatives.bytes(), 0u);
}

TEST(Negatives, StayWithinTheDefaultBudgetWhateverIsAsked) {
  Negatives negatives({});
  for (std::size_t i = 0; i < 70'000; ++i)
    negatives.put("made-up/" + std::to_string(i), Unavailable{failing(std::string(i % 1500, 'w'))});
  EXPECT_LE(negatives.size(), 65'536u);
  EXPECT_LE(negatives.bytes(), 16u << 20);
  EXPECT_TRUE(is_there(negatives, "made-up/69999"));
}

TEST(Negatives, KeysAskedOnceLeaveNoFiles) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  for (std::size_t i = 0; i < 1500; ++i) {
    EXPECT_EQ(say(store->lookup(key_of(i))), "miss");
    store->remember(key_of(i), Absent{kChecked});
  }
  EXPECT_EQ(entries_in(folder.path()), 0u);
}

TEST(Negatives, AnAbsenceAskedForAgainIsWorthKeepingOnce) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  EXPECT_TRUE(store->keep(kKey));
  EXPECT_EQ(entries_in(folder.path()), 0u) << "nothing remembered, nothing to keep";
  store->remember(kKey, Absent{.checked = kChecked, .worth_keeping = true});
  EXPECT_TRUE(worth_keeping(*store->lookup_checked(kKey)));
  EXPECT_FALSE(worth_keeping(store->lookup(kKey)));
  EXPECT_EQ(entries_in(folder.path()), 0u) << "a lookup does not write";
  ASSERT_TRUE(store->keep(kKey));
  EXPECT_EQ(entries_in(folder.path()), 1u);
  const Lookup next = open_store(folder.path(), 2)->lookup(kKey);
  ASSERT_EQ(say(next), "absent") << "another run knows it, too";
  EXPECT_EQ(std::get<Absent>(next).checked, kChecked);
  EXPECT_FALSE(worth_keeping(next));
}

TEST(Negatives, KeepWritesNothingButAbsences) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  for (const Negative& negative : {Negative(Malformed{failing("why")}), Negative(NotWhole{failing("why")}),
                                   Negative(Crashed{failing("why")}), Negative(Unavailable{failing("why")})}) {
    store->remember(kKey, negative);
    EXPECT_FALSE(worth_keeping(store->lookup(kKey)));
    EXPECT_TRUE(store->keep(kKey));
    EXPECT_EQ(entries_in(folder.path()), 0u);
  }
}

TEST(Negatives, ARunKeepsAtMostSoMany) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, {.max_absent_files = 3});
  std::size_t asked_to = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    store->remember(key_of(i), Absent{kChecked});
    if (worth_keeping(store->lookup(key_of(i)))) ++asked_to;
    EXPECT_TRUE(store->keep(key_of(i)));
  }
  EXPECT_EQ(asked_to, 3u);
  EXPECT_EQ(entries_in(folder.path()), 3u);
}

TEST(Negatives, TheNewerOfDiskAndMemoryCounts) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  const auto other = open_store(folder.path(), 2);
  const TimePoint later = kChecked + std::chrono::minutes(1);
  other->remember(kKey, Absent{kChecked});
  ASSERT_TRUE(other->keep(kKey));
  store->remember(kKey, Malformed{failing("not a PDB", {}, later)});
  EXPECT_EQ(say(store->lookup(kKey)), "malformed not a PDB");
  other->remember(kKey, Absent{later + std::chrono::minutes(1)});
  ASSERT_TRUE(other->keep(kKey));
  EXPECT_EQ(say(store->lookup(kKey)), "absent");
}

TEST(Negatives, AFileOfAnotherProcessCountsAndIsNotOverwritten) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  const auto other = open_store(folder.path(), 2);
  store->remember(kKey, Absent{Store::now() + std::chrono::hours(1)});
  EXPECT_TRUE(worth_keeping(store->lookup(kKey)));
  put(*other, "payload");
  EXPECT_TRUE(store->keep(kKey));
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
}

}  // namespace
}  // namespace symcached::store
