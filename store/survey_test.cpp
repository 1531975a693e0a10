#include "store/survey.hpp"

#include <gtest/gtest.h>

#include "store/maintenance.hpp"
#include "store/store_testing.hpp"
#include "testing/server/eventually.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

bool go_on(std::chrono::steady_clock::duration) { return true; }

Surveyed survey_of(const TempFolder& folder, Store& store) {
  return survey(folder.path(), *store.quotas(), go_on).value_or(Surveyed{99, 99});
}

/// Three entries, and no journal.
void fill(const TempFolder& folder) {
  const auto store = open_store(folder.path());
  for (std::size_t i = 1; i <= 3; ++i) put(*store, std::string(10'000, 'x'), key_of(i));
  std::filesystem::remove(folder.path() / kJournalName);
}

TEST(Survey, FindsWhatTheJournalDoesNotTell) {
  const TempFolder folder;
  fill(folder);
  const auto store = open_store(folder.path(), 2);
  EXPECT_EQ(store->quotas()->counts().entries, 0u);
  const auto first = survey_of(folder, *store);
  EXPECT_EQ(first.found, 3u);
  EXPECT_EQ(first.gone, 0u);
  EXPECT_EQ(store->quotas()->counts().bytes, 3 * 4 * kBlock);
  std::filesystem::remove(store->path_of(key_of(1)));
  const auto second = survey_of(folder, *store);
  EXPECT_EQ(second.found, 0u);
  EXPECT_EQ(second.gone, 1u);
  EXPECT_EQ(open_store(folder.path(), 3)->quotas()->counts().entries, 2u) << "the journal has it now";
}

TEST(Survey, KnowsCostAndAbsenceFromTheHead) {
  const TempFolder folder;
  {
    const auto store = open_store(folder.path());
    auto writer = store->create(kKey);
    ASSERT_TRUE(std::move(*writer).publish({.cost = Milliseconds(60'000)}));
    auto cheap = store->create(key_of(1));
    ASSERT_TRUE(std::move(*cheap).publish());
    store->remember(key_of(2), Absent{Store::now()});
    ASSERT_TRUE(store->keep(key_of(2)));
    std::filesystem::remove(folder.path() / kJournalName);
  }
  const auto store = open_store(folder.path(), 2);
  EXPECT_EQ(survey_of(folder, *store).found, 3u);
  store->quotas()->expire(static_cast<std::uint32_t>(std::time(nullptr)) + 2 * 3600);
  EXPECT_EQ(store->quotas()->counts().entries, 2u) << "the absence has expired";
  EXPECT_TRUE(store->quotas()->free_up(1));
  EXPECT_NE(say(store->lookup(kKey)), "miss") << "it was dear to make";
  EXPECT_EQ(say(store->lookup(key_of(1))), "miss");
}

TEST(Survey, LeavesEverythingElseAlone) {
  const TempFolder folder;
  fill(folder);
  const std::string name(62, 'a');
  folder.write("symcaches/v1/global/ab/thesis.tex", "x");
  folder.write("symcaches/v1/global/zz/" + name, "x");
  folder.write("symcaches/one/global/ab/" + name, "x");
  folder.write("symcaches/v1/.hidden/ab/" + name, "x");
  folder.write("elsewhere/v1/global/ab/" + name, "not an entry, but called like one");
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "linked");
  const auto before = all_files(folder.path());
  const auto store = open_store(folder.path(), 2);
  EXPECT_EQ(survey_of(folder, *store).found, 4u);
  EXPECT_EQ(all_files(folder.path()).size(), before.size() + 1) << "the journal";
}

TEST(Survey, IsStoppedBetweenFolders) {
  const TempFolder folder;
  fill(folder);
  const auto store = open_store(folder.path(), 2);
  store->quotas()->published(entry_name(key_of(99)), {.blocks = 1});
  int folders = 0;
  EXPECT_FALSE(survey(folder.path(), *store->quotas(), [&](auto) { return ++folders < 2; }));
  EXPECT_EQ(folders, 2);
  EXPECT_EQ(store->quotas()->counts().entries, 3u) << "two were found, and the one not seen counts still";
}

TEST(Survey, LinkedFilesCountOnce) {
  const TempFolder folder;
  fill(folder);
  const auto store = open_store(folder.path(), 2);
  EntryKey other = key_of(1);
  other.scope = "other";
  std::filesystem::create_directories(store->path_of(other).parent_path());
  std::filesystem::create_hard_link(store->path_of(key_of(1)), store->path_of(other));
  EXPECT_EQ(survey_of(folder, *store).found, 4u);
  EXPECT_EQ(store->quotas()->counts().bytes, 3 * 4 * kBlock);
  EXPECT_EQ(survey_of(folder, *store).found, 0u);
  EXPECT_EQ(store->quotas()->counts().bytes, 3 * 4 * kBlock);
}

TEST(Survey, OnlyEmptyFoldersOfEntriesAreRemoved) {
  const TempFolder folder;
  fill(folder);
  std::filesystem::create_directories(folder.path() / "objects/v1/global/ab");
  std::filesystem::create_directories(folder.path() / "objects/notes/global/ab");
  std::filesystem::create_directories(folder.path() / "ppdbcaches/v1/global/ab");
  EXPECT_EQ(remove_empty_folders(folder.path()), 3u + 4u);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "objects/notes/global/ab"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "ppdbcaches"));
  EXPECT_EQ(entries_in(folder.path()), 3u);
}

TEST(Maintenance, BringsADirectoryWithinItsLimits) {
  const TempFolder folder;
  fill(folder);
  StoreOptions options;
  options.quotas.limits.total.max_size = 8 * kBlock;
  const auto store = open_store(folder.path(), 2, options);
  Maintenance maintenance(folder.path(), *store->quotas());
  EXPECT_TRUE(eventually([&] { return store->quotas()->counts().evicted == 1; }));
  maintenance.stop();
  EXPECT_EQ(entries_in(folder.path()), 2u);
  EXPECT_EQ(maintenance.counts().surveys, 1u);
  EXPECT_EQ(maintenance.counts().found, 3u);
  maintenance.stop();
}

TEST(Maintenance, StopsAtOnce) {
  const TempFolder folder;
  fill(folder);
  const auto store = open_store(folder.path(), 2);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    Maintenance maintenance(folder.path(), *store->quotas());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << "it rests for 30 s each time";
}

}  // namespace
}  // namespace symcached::store
