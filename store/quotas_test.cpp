#include "store/quotas.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "store/failing_files.hpp"
#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

constexpr std::uint64_t kMB = 1'000'000;

StoreOptions limited(CacheLimits limits) {
  StoreOptions options;
  options.quotas.limits = std::move(limits);
  return options;
}

CacheLimits at_most(std::uint64_t bytes) { return {.total = {.max_size = bytes}}; }

/// Bytes on disk of all entries, counted as the index does. Somebody may delete some meanwhile.
std::uint64_t bytes_in(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  for (const std::string& name : all_files(folder)) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(folder / name, gone);
    if (parse_entry_name(name) && !gone) bytes += blocks_of(size) * kBlock;
  }
  return bytes;
}

void age(const std::filesystem::path& path, hours by) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - by);
}

EntryKey object(std::size_t i) { return {{"objects", 1}, "global", "original/" + std::to_string(i)}; }

std::shared_ptr<const Entry> publish(Store& store, const EntryKey& key, std::string_view payload,
                                     const Provenance& made = {}) {
  auto writer = store.create(key);
  if (!writer || !writer->write(as_bytes(payload))) return nullptr;
  auto published = std::move(*writer).publish(made);
  return published ? *published : nullptr;
}

TEST(Quotas, AStreamOfTenTimesTheQuotaStaysWithin) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(kMB)));
  for (std::size_t i = 0; i < 80; ++i) {
    put(*store, std::string(125'000 + i * 100 % 3000, 'x'), key_of(i));
    ASSERT_LE(bytes_in(folder.path()), kMB) << i;
  }
  const QuotaCounts counts = store->quotas()->counts();
  EXPECT_EQ(counts.bytes, bytes_in(folder.path()));
  EXPECT_EQ(counts.entries, entries_in(folder.path()));
  EXPECT_EQ(counts.entries + counts.evicted, 80u);
  EXPECT_GT(counts.bytes, kMB * 8 / 10) << "no more than needed goes";
  EXPECT_EQ(say(store->lookup(key_of(79))).substr(0, 5), "hit x");
  EXPECT_EQ(say(store->lookup(key_of(0))), "miss");
}

TEST(Quotas, OtherLimitsCountFromTheNextCheckOn) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(kMB)));
  for (std::size_t i = 0; i < 4; ++i) put(*store, std::string(100'000, 'x'), key_of(i));
  store->quotas()->use(at_most(kMB / 4));
  EXPECT_TRUE(store->quotas()->enforce());
  EXPECT_EQ(entries_in(folder.path()), 2u);
  store->quotas()->use(at_most(0));
  Quotas::Claim claim;
  EXPECT_FALSE(store->quotas()->claim(claim, entry_name(object(1)), 1, 1)) << "no room for anything";
}

TEST(Quotas, TwoStoresOnOneDirectoryExceedItByAnEntryEachAtMost) {
  const TempFolder folder;
  const std::uint64_t each = 40 * kBlock;
  const auto work = [&](std::size_t first) {
    const auto store = open_store(folder.path(), first + 1, limited(at_most(kMB)));
    for (std::size_t i = 0; i < 40; ++i) put(*store, std::string(each - kPayloadOffset, 'x'), key_of(first + i));
  };
  {
    std::jthread a(work, 0), b(work, 1000);
    for (int i = 0; i < 20; ++i) EXPECT_LE(bytes_in(folder.path()), kMB + 2 * each);
  }
  const auto store = open_store(folder.path(), 3, limited(at_most(kMB)));
  EXPECT_EQ(store->quotas()->counts().bytes, bytes_in(folder.path())) << "the journal knows what both did";
  EXPECT_LE(bytes_in(folder.path()), kMB + 2 * each);
  store->quotas()->enforce();
  EXPECT_LE(bytes_in(folder.path()), kMB);
}

TEST(Quotas, ThreadsOfOneStoreNeverExceedIt) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(kMB)));
  const auto work = [&](std::size_t first) {
    for (std::size_t i = 0; i < 25; ++i) {
      put(*store, std::string(100'000, 'x'), key_of(first + i));
      EXPECT_LE(store->quotas()->counts().bytes, kMB);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) threads.emplace_back(work, t * 1000);
  threads.clear();
  EXPECT_LE(bytes_in(folder.path()), kMB);
  EXPECT_EQ(store->quotas()->counts().bytes, bytes_in(folder.path()));
}

TEST(Quotas, AnEntryLargerThanTheQuotaIsServedAndNotKept) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(100'000)));
  put(*store, "small", key_of(1));
  const auto large = publish(*store, key_of(2), std::string(200'000, 'L'));
  ASSERT_TRUE(large);
  EXPECT_THAT(large->not_kept(), HasSubstr("no room for 205 kB"));
  EXPECT_EQ(say(Lookup(Hit{large})), "hit " + std::string(200'000, 'L'));
  EXPECT_EQ(say(store->lookup(key_of(2))), "miss");
  EXPECT_EQ(say(store->lookup(key_of(1))), "hit small") << "nothing is evicted for what cannot fit";
}

TEST(Quotas, WhatCanNeverFitIsRefusedBeforeItComes) {
  struct Row {
    std::string_view why;
    std::uint64_t size;
    CacheLimits limits;
    std::string_view refused;  ///< empty: not
  };
  CacheLimits kind = at_most(kMB), free = {.total = {.max_size = std::nullopt, .min_free = {.bytes = kMB}}};
  kind.kinds["symcaches"].quota.max_size = kMB / 2;
  const CacheLimits none = {.total = {.max_size = std::nullopt}};
  const std::uint64_t head = kPayloadOffset;
  const Row rows[] = {
      {"as large as the cache", kMB - head, at_most(kMB), ""},
      {"larger", kMB - head + 1, at_most(kMB), "1.0 MB do not fit into the cache: caches.max_size is 1.0 MB"},
      {"larger than its kind may be", kMB / 2, kind, "caches.symcaches.max_size is 500 kB"},
      {"as large as the disk", 3 * kMB - head, none, ""},
      {"larger than the disk, which cannot be told of a lie", 4 * kMB, none, "3.1 MB at most"},
      {"larger than what is not to be left free", 2 * kMB + 200'000, free, "with 1.0 MB left free"},
      {"no number of bytes", ~std::uint64_t{0} - head, none, "do not fit on the disk"},
  };
  for (const Row& r : rows) {
    const TempFolder folder;
    StoreOptions options = limited(r.limits);
    options.quotas.disk_room = [](const std::filesystem::path&) { return DiskRoom{.free = 3 * kMB, .size = 9 * kMB}; };
    const auto store = open_store(folder.path(), 1, std::move(options));
    put(*store, std::string(100'000, 's'), key_of(1));
    const auto writer = store->create(key_of(2), {}, r.size);
    EXPECT_EQ(writer.has_value(), r.refused.empty()) << r.why;
    EXPECT_THAT(writer ? "" : writer.error(), HasSubstr(r.refused)) << r.why;
    EXPECT_NE(say(store->lookup(key_of(1))), "miss") << r.why;
    EXPECT_FALSE(store->no_space()) << "smaller ones fit";
  }
}

TEST(Quotas, WhatIsBeingWrittenCounts) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(kMB)));
  for (std::size_t i = 0; i < 9; ++i) put(*store, std::string(100'000, 'x'), key_of(i));
  const std::string piece(10'000, 'y');
  std::optional<EntryWriter> first(std::move(*store->create(key_of(100)))),
      second(std::move(*store->create(key_of(101))));
  for (std::size_t i = 1; i <= 40; ++i) {
    ASSERT_TRUE(first->write(as_bytes(piece)));
    ASSERT_TRUE(second->write(as_bytes(piece)));
    EXPECT_LE(bytes_in(folder.path()) + 2 * i * piece.size(), kMB) << i;
  }
  EXPECT_GE(entries_in(folder.path()), 1u) << "no more than needed goes";
  second.reset();
  put(*store, std::string(300'000, 'z'), key_of(102));
  EXPECT_GE(entries_in(folder.path()), 2u) << "what was dropped leaves its room to others";
  EXPECT_EQ((*std::move(*first).publish())->not_kept(), "");
  EXPECT_LE(bytes_in(folder.path()), kMB);
  EXPECT_EQ(store->quotas()->counts().bytes, bytes_in(folder.path()));
}

TEST(Quotas, NothingIsEvictedForWhatGrowsTooLarge) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(kMB)));
  put(*store, std::string(100'000, 'x'), key_of(1));
  const std::string half(600'000, 'y');
  EntryWriter first = std::move(*store->create(key_of(2))), second = std::move(*store->create(key_of(3)));
  ASSERT_TRUE(first.write(as_bytes(half)));
  ASSERT_TRUE(second.write(as_bytes(half))) << "both at once are too much";
  EXPECT_NE(say(store->lookup(key_of(1))), "miss");
  EXPECT_EQ((*std::move(first).publish())->not_kept(), "");
  EXPECT_EQ((*std::move(second).publish())->not_kept(), "") << "one after the other they fit";
  EXPECT_EQ(say(store->lookup(key_of(2))), "miss");
  EXPECT_LE(bytes_in(folder.path()), kMB);
}

TEST(Quotas, AKindHasItsOwnQuota) {
  const TempFolder folder;
  CacheLimits limits = at_most(kMB);
  limits.kinds["objects"].quota.max_size = 100'000;
  const auto store = open_store(folder.path(), 1, limited(limits));
  put(*store, std::string(50'000, 's'), key_of(1));
  for (std::size_t i = 0; i < 10; ++i) put(*store, std::string(40'000, 'o'), object(i));
  for (const auto& kind : store->quotas()->counts().kinds)
    EXPECT_EQ(kind.entries, kind.name == "objects" ? 2u : 1u) << kind.name;
  EXPECT_EQ(say(store->lookup(key_of(1))).substr(0, 5), "hit s");
}

TEST(Quotas, FreeSpaceIsLeftToOthers) {
  const TempFolder folder;
  std::uint64_t others = kMB;
  SteadyTime now{};
  StoreOptions options = limited({.total = {.max_size = std::nullopt, .min_free = {.bytes = 7, .percent = 10}}});
  options.now = [&] { return now += std::chrono::seconds(2); };
  options.quotas.disk_room = [&](const std::filesystem::path&) {
    return DiskRoom{.free = 2 * kMB - others - bytes_in(folder.path()), .size = 2 * kMB};
  };
  const auto store = open_store(folder.path(), 1, std::move(options));
  for (std::size_t i = 0; i < 30; ++i) put(*store, std::string(60'000, 'x'), key_of(i));
  EXPECT_LE(bytes_in(folder.path()), 800'000u + 70'000u) << "but for one, which this test's disk sees late";
  EXPECT_GT(bytes_in(folder.path()), 750'000u);
  others += 100'000;
  store->quotas()->enforce();
  EXPECT_LE(bytes_in(folder.path()), 700'000u);
  EXPECT_GT(bytes_in(folder.path()), 600'000u);
  std::filesystem::remove_all(folder.path() / "symcaches");
  others = 2 * kMB - 100'000;
  EXPECT_THAT(publish(*store, key_of(99), "x")->not_kept(), HasSubstr("no room"));
  EXPECT_EQ(store->quotas()->counts().entries, 0u);
}

TEST(Quotas, WhatOthersUsedIsNoVictim) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(100'000)));
  for (std::size_t i = 1; i <= 3; ++i) put(*store, std::string(20'000, 'x'), key_of(i));
  for (std::size_t i = 1; i <= 3; ++i) age(store->path_of(key_of(i)), hours(-1));  // used, unknown to us
  age(store->path_of(key_of(2)), hours(0));
  put(*store, std::string(40'000, 'x'), key_of(4));
  EXPECT_EQ(say(store->lookup(key_of(2))), "miss");
  for (const std::size_t i : {1, 3, 4}) EXPECT_NE(say(store->lookup(key_of(i))), "miss") << i;
}

TEST(Quotas, AnOpenEntryMayGo) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(100'000)));
  const auto first = publish(*store, key_of(1), std::string(50'000, 'a'));
  for (std::size_t i = 2; i < 9; ++i) put(*store, std::string(50'000, 'b'), key_of(i));
  EXPECT_EQ(say(store->lookup(key_of(1))), "miss");
  EXPECT_EQ(say(Lookup(Hit{first})), "hit " + std::string(50'000, 'a'));
}

TEST(Quotas, RandomDeletionsDoNoHarm) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(500'000)));
  std::mt19937 random(7);
  for (std::size_t i = 0; i < 60; ++i) {
    put(*store, std::string(1000 + random() % 60'000, 'x'), key_of(i));
    const auto names = all_files(folder.path());
    const std::string& name = names[random() % names.size()];
    if (random() % 3 == 0) std::filesystem::remove(folder.path() / name);
    if (i % 20 == 19) std::filesystem::remove_all(folder.path() / "symcaches");
    ASSERT_LE(bytes_in(folder.path()), 500'000u);
  }
  const auto last = publish(*store, kKey, "last");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->not_kept(), "");
  EXPECT_EQ(say(store->lookup(kKey)), "hit last");
}

TEST(Quotas, WhatOthersDeletedMakesRoom) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1, limited(at_most(100'000)));
  for (std::size_t i = 1; i <= 4; ++i) put(*store, std::string(20'000, 'x'), key_of(i));
  std::filesystem::remove_all(folder.path() / "symcaches");
  EXPECT_EQ(publish(*store, key_of(5), std::string(20'000, 'x'))->not_kept(), "");
  EXPECT_EQ(store->quotas()->counts().evicted, 0u);
}

TEST(Quotas, ExpiresWhatWasNotUsed) {
  const TempFolder folder;
  CacheLimits limits{.max_unused_for = hours(24 * 7)};
  limits.kinds["objects"].max_unused_for = hours(24);
  const auto store = open_store(folder.path(), 1, limited(limits));
  put(*store, "s", key_of(1));
  put(*store, "o", object(1));
  put(*store, "o", object(2));
  store->remember(key_of(2), Absent{Store::now()});
  ASSERT_TRUE(store->keep(key_of(2)));
  const auto now = static_cast<std::uint32_t>(std::time(nullptr));
  const auto entries = [&] { return store->quotas()->counts().entries; };
  store->quotas()->expire(now + 3500);
  EXPECT_EQ(entries(), 4u);
  store->quotas()->expire(now + 3700);
  EXPECT_EQ(entries(), 3u) << "an absence lasts an hour";
  age(store->path_of(object(2)), hours(-2));  // used in the meantime
  store->quotas()->expire(now + 25 * 3600);
  EXPECT_EQ(say(store->lookup(object(1))), "miss");
  EXPECT_EQ(say(store->lookup(object(2))), "hit o");
  EXPECT_EQ(entries(), 2u);
  store->quotas()->expire(now + 8 * 24 * 3600);
  EXPECT_EQ(entries_in(folder.path()), 0u);
  EXPECT_EQ(store->quotas()->counts().expired, 4u);
}

TEST(Quotas, ATouchIsNotedForTheOthers) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  put(*store, "x", key_of(1));
  age(store->path_of(key_of(1)), hours(5));
  ASSERT_EQ(say(store->lookup(key_of(1))), "hit x");
  const auto size = std::filesystem::file_size(folder.path() / kJournalName);
  store->quotas()->counts();
  EXPECT_EQ(std::filesystem::file_size(folder.path() / kJournalName), size + sizeof(JournalRecord));
}

TEST(Quotas, ADryRunChangesNothing) {
  const TempFolder folder;
  {
    const auto store = open_store(folder.path());
    for (std::size_t i = 0; i < 10; ++i) put(*store, std::string(50'000, 'x'), key_of(i));
  }
  const auto before = all_files(folder.path());
  StoreOptions options = limited(at_most(100'000));
  std::size_t removed = 0;
  options.quotas.dry_run = true;
  options.quotas.removed = [&](const std::string&, std::uint64_t bytes, RemovedAs why) {
    EXPECT_EQ(bytes, blocks_of(50'000 + kPayloadOffset) * kBlock);
    EXPECT_EQ(why, RemovedAs::evicted);
    ++removed;
  };
  const auto store = open_store(folder.path(), 2, std::move(options));
  store->quotas()->enforce();
  EXPECT_EQ(removed, 9u);
  EXPECT_EQ(all_files(folder.path()), before);
}

TEST(Quotas, AFullDiskIsMadeRoomOn) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "x", key_of(1));
  EXPECT_TRUE(store->quotas()->free_up(1));
  EXPECT_EQ(say(store->lookup(key_of(1))), "miss");
  EXPECT_FALSE(store->quotas()->free_up(1)) << "nothing is left";
}

TEST(Quotas, AWriteThatFindsNoSpaceEvictsBeforeItGivesUp) {
  const TempFolder folder;
  {
    const auto store = open_store(folder.path());
    put(*store, "x", key_of(1));
  }
  auto files = std::make_unique<FailingFiles>();
  files->creates = "/dev/full";
  auto file = files->create();
  ASSERT_TRUE(file);
  const auto ours = [] { return true; };
  auto quotas = std::make_unique<Quotas>(folder.path(), 2, ours, QuotaOptions{});
  const std::shared_ptr<Parts> parts(
      new Parts{std::move(files), Negatives({}), DiskSpace([] { return SteadyTime{}; }), std::move(quotas)});
  EntryWriter writer(parts, std::move(*file), entry_name(key_of(2)), Head{});
  EXPECT_THAT(writer.write(as_bytes("payload")).error(), HasSubstr("No space left on device"));
  EXPECT_EQ(parts->quotas->counts().evicted, 1u);
  EXPECT_TRUE(parts->space.full());
  EXPECT_EQ(entries_in(folder.path()), 0u);
}

TEST(Quotas, EqualOriginalsOfOneKeyAreOneFile) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  EntryKey other = object(1);
  other.scope = "tenant-7";
  const std::string payload(50'000, 'o');
  const Provenance original{.cost = Milliseconds(5), .original = true};
  ASSERT_TRUE(publish(*store, object(1), payload, original));
  const auto linked = publish(*store, other, payload, original);
  ASSERT_TRUE(linked);
  EXPECT_EQ(say(Lookup(Hit{linked})), "hit " + payload);
  EXPECT_EQ(say(store->lookup(other)), "hit " + payload);
  EXPECT_TRUE(std::filesystem::equivalent(store->path_of(object(1)), store->path_of(other)));
  const std::uint64_t once = blocks_of(50'000 + kPayloadOffset) * kBlock;
  EXPECT_EQ(store->quotas()->counts().bytes, once);
  EXPECT_TRUE(all_files(folder.path() / "tmp").empty());
  EXPECT_TRUE(store->quotas()->free_up(1));
  EXPECT_EQ(store->quotas()->counts().entries, 0u) << "the first to go frees nothing yet";
}

TEST(Quotas, OnlyWhatIsTheSameIsLinked) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const Provenance original{.original = true};
  publish(*store, object(1), "payload", original);
  EntryKey other = object(1);
  other.scope = "tenant-7";
  publish(*store, other, "another", original);
  EXPECT_FALSE(std::filesystem::equivalent(store->path_of(object(1)), store->path_of(other)));
  publish(*store, object(2), "payload", original);
  EXPECT_EQ(say(store->lookup(object(2))), "hit payload");
  std::filesystem::resize_file(store->path_of(object(1)), kPayloadOffset + 3);
  publish(*store, other, "payload", original);
  EXPECT_EQ(say(store->lookup(other)), "hit payload") << "a spoilt twin is none";
}

}  // namespace
}  // namespace symcached::store
