#include "store/left_overs.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kOtherRun = 0xfeedface;
const std::string kMarker(kMarkerName);

std::string left_over(std::uint64_t run, std::uint64_t number = 1) { return "tmp/" + temporary_name(run, number); }

void age(const std::filesystem::path& path, std::chrono::hours by) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - by);
}

TEST(LeftOvers, NamesOfOurs) {
  EXPECT_EQ(temporary_name(0xabc, 0x12), "entry-0000000000000abc-0000000000000012");
  EXPECT_TRUE(is_of_run(temporary_name(0xabc, 0x12), 0xabc));
  EXPECT_FALSE(is_of_run(temporary_name(0xabc, 0x12), 0xabcd));
  EXPECT_TRUE(is_temporary_name(temporary_name(~0ull, 0)));
  for (const char* name : {"", "entry-", "entry-XXXXXX", "entry-0000000000000abc-000000000000001",
                           "entry-0000000000000ABC-0000000000000012", "entry-0000000000000abc_0000000000000012",
                           "entri-0000000000000abc-0000000000000012", "entry-0000000000000abc-00000000000000123"})
    EXPECT_FALSE(is_temporary_name(name)) << name;
}

/// Files and others in tmp/, of which only one is a left-over.
void fill_tmp(const TempFolder& folder) {
  folder.write(left_over(kOtherRun), "of a killed run");
  folder.write(left_over(1), "of this run");
  folder.write("tmp/thesis.tex", "x");
  folder.write("tmp/entry-XXXXXX", "x");
  folder.write(left_over(kOtherRun, 2) + "/in-a-directory", "x");
  folder.write("elsewhere", "x");
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / left_over(kOtherRun, 3));
  ASSERT_EQ(::mkfifo((folder.path() / left_over(kOtherRun, 4)).c_str(), 0600), 0);
}

TEST(LeftOvers, OnlyOurOwnFilesOfOtherRunsAreRemoved) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  fill_tmp(folder);
  const std::size_t before = all_files(folder.path()).size();
  EXPECT_EQ(store->remove_left_overs(), 1u);
  EXPECT_EQ(all_files(folder.path()).size(), before - 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / left_over(kOtherRun)));
  EXPECT_EQ(content_of(folder.path() / "elsewhere"), "x");
}

TEST(LeftOvers, NothingIsThereToRemove) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  EXPECT_EQ(store->remove_left_overs(), 0u) << "no tmp/";
  const TempFolder foreign;
  foreign.write(temporary_name(kOtherRun, 1), "x");
  std::filesystem::create_directory_symlink(foreign.path(), folder.path() / "tmp");
  EXPECT_EQ(store->remove_left_overs(), 0u) << "tmp/ leads elsewhere";
  EXPECT_EQ(all_files(foreign.path()).size(), 1u);
}

TEST(LeftOvers, BesideAnotherProcessOnlyOldOnes) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  auto other = open_store(folder.path(), 2);
  folder.write(left_over(2), "being written");
  folder.write(left_over(kOtherRun), "old");
  folder.write(left_over(1), "ours, old");
  age(folder.path() / left_over(kOtherRun), std::chrono::hours(25));
  age(folder.path() / left_over(1), std::chrono::hours(25));
  age(folder.path() / left_over(2), std::chrono::hours(23));
  EXPECT_EQ(store->remove_left_overs(), 1u);
  EXPECT_THAT(all_files(folder.path() / "tmp"), ElementsAre(temporary_name(1, 1), temporary_name(2, 1)));
  EXPECT_EQ(store->remove_left_overs(), 0u) << "the lock is shared again, as it was";
  other.reset();
  EXPECT_EQ(store->remove_left_overs(), 1u) << "nobody else is there any more";
}

TEST(LeftOvers, EveryStoreKeepsItsLock) {
  const TempFolder folder;
  const auto first = open_store(folder.path(), 1);
  const Descriptor marker(::open((folder.path() / kMarker).c_str(), O_RDONLY | O_CLOEXEC));
  const auto is_locked = [&] {
    const bool free = ::flock(marker.get(), LOCK_EX | LOCK_NB) == 0;
    ::flock(marker.get(), LOCK_UN);
    return !free;
  };
  EXPECT_TRUE(is_locked());
  first->remove_left_overs();
  EXPECT_TRUE(is_locked()) << "after having been the only user";
  {
    const auto second = open_store(folder.path(), 2);
    first->remove_left_overs();
    second->remove_left_overs();
    EXPECT_TRUE(is_locked()) << "after having tried in vain";
  }
  const Descriptor guard(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(guard.get(), LOCK_EX | LOCK_NB), 0) << "the guard is free afterwards";
  folder.write(left_over(kOtherRun), "x");
  EXPECT_EQ(first->remove_left_overs(), 0u) << "somebody else is trying";
  EXPECT_TRUE(is_locked());
}

TEST(LeftOvers, AMarkerOfAnotherRunIsNotOurs) {
  const TempFolder folder;
  const auto store = open_store(folder.path(), 1);
  std::filesystem::remove_all(folder.path() / kMarker);
  folder.write(kMarker, "");
  folder.write(left_over(kOtherRun), "x");
  EXPECT_EQ(store->remove_left_overs(), 0u) << "our lock is on a marker that nobody sees any more";
  put(*store, "payload");
  EXPECT_EQ(store->remove_left_overs(), 1u) << "from the next write on it is on the new one";
}

}  // namespace
}  // namespace symcached::store
