#include "store/directory.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "store/left_overs.hpp"
#include "store/store_testing.hpp"

namespace symcached::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kOtherRun = 0xfeedface;
const std::string kMarker(kMarkerName);
const std::string kTag(kTagName);

std::string error_of(const std::filesystem::path& directory) {
  const auto store = Store::open(directory, 1);
  return store ? "" : store.error();
}

std::string left_over(std::uint64_t run, std::uint64_t number = 1) { return "tmp/" + temporary_name(run, number); }

void age(const std::filesystem::path& path, std::chrono::hours by) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - by);
}

TEST(Ownership, ADirectoryOfOursIsMarkedAndTagged) {
  const TempFolder folder;
  for (const auto& directory : {folder.path() / "empty", folder.path() / "new/and/deep"}) {
    if (directory.filename() == "empty") std::filesystem::create_directory(directory);
    EXPECT_EQ(error_of(directory), "");
    EXPECT_THAT(all_files(directory), ElementsAre(kMarker, kTag));
    EXPECT_EQ(content_of(directory / kMarker), kMarkerText);
    EXPECT_TRUE(content_of(directory / kTag).starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
    EXPECT_EQ(error_of(directory), "") << "and opened again";
  }
}

TEST(Ownership, WhatIsNotOursIsRefusedAndLeftAsItIs) {
  struct Row {
    std::string_view why, file, content, want;
  };
  const Row rows[] = {
      {"a file", "thesis.tex", "x", "has other files in it (\"thesis.tex\")"},
      {"a tmp/ of somebody", "tmp/a", "x", "choose an empty or new directory"},
      {"a cache of somebody", "CACHEDIR.TAG", "Signature", "no .symcached"},
      {"a hidden file", ".profile", "x", "touch DIRECTORY/.symcached"},
      {"of the future", ".symcached", "symcached cache directory, format 2; x\n", "another version of symcached"},
      {"no text of ours", ".symcached", "hello", "another version of symcached"},
      {"not a file", ".symcached/x", "", "is not a regular file"},
  };
  for (const Row& r : rows) {
    const TempFolder folder;
    folder.write(r.file, r.content);
    EXPECT_THAT(error_of(folder.path()),
                AllOf(HasSubstr("cache directory " + folder.path().string() + ": "), HasSubstr(r.want)))
        << r.why;
    EXPECT_THAT(all_files(folder.path()), ElementsAre(r.file)) << r.why;
    EXPECT_EQ(content_of(folder.path() / r.file), r.content) << r.why;
  }
}

TEST(Ownership, AnOldCacheIsAdoptedByTouch) {
  const TempFolder folder;
  folder.write("symcaches/v1/global/ab/cd", "old entry");
  folder.write(kMarkerName, "");
  EXPECT_EQ(error_of(folder.path()), "");
  EXPECT_EQ(content_of(folder.path() / kMarker), kMarkerText);
  EXPECT_EQ(content_of(folder.path() / "symcaches/v1/global/ab/cd"), "old entry");
}

TEST(Ownership, AFileSystemOfItsOwnIsEmpty) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "lost+found");
  EXPECT_EQ(error_of(folder.path()), "");
}

TEST(Ownership, ALinkIsNoMarker) {
  const TempFolder folder;
  folder.write("elsewhere", "");
  std::filesystem::create_symlink("elsewhere", folder.path() / kMarker);
  EXPECT_THAT(error_of(folder.path()), HasSubstr("could not open .symcached"));
  EXPECT_EQ(content_of(folder.path() / "elsewhere"), "");
}

TEST(Ownership, SaysWhatIsNoDirectory) {
  const TempFolder folder;
  folder.write("file", "x");
  for (const auto& path : {folder.path() / "file", folder.path() / "file/below", std::filesystem::path("/proc/none")})
    EXPECT_THAT(error_of(path), AllOf(HasSubstr("cache directory"), HasSubstr("could not create it"))) << path;
}

TEST(Ownership, GoesOnWhenSomebodyDeletesTheMarker) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "first");
  std::filesystem::remove(folder.path() / kMarker);
  EXPECT_EQ(say(store->lookup(kKey)), "hit first");
  EXPECT_EQ(store->remove_left_overs(), 0u);
  put(*store, "second");
  EXPECT_EQ(say(store->lookup(kKey)), "hit second");
  EXPECT_EQ(error_of(folder.path()), "") << "the next run finds its marker";
}

TEST(Ownership, GoesOnWhenSomebodyDeletesEverything) {
  for (const bool with_directory : {false, true}) {
    const TempFolder folder;
    const auto directory = folder.path() / "cache";
    const auto store = open_store(directory);
    put(*store, "first");
    if (with_directory) std::filesystem::remove_all(directory);
    else
      for (const auto& entry : std::filesystem::directory_iterator(directory))
        std::filesystem::remove_all(entry.path());
    EXPECT_EQ(say(store->lookup(kKey)), "miss");
    put(*store, "second");
    EXPECT_EQ(say(store->lookup(kKey)), "hit second");
    EXPECT_EQ(error_of(directory), "");
  }
}

TEST(Ownership, AnotherDirectoryOfThatNameIsNotTakenOver) {
  const TempFolder folder;
  const auto directory = folder.path() / "cache";
  const auto store = open_store(directory);
  std::filesystem::rename(directory, folder.path() / "moved away");
  folder.write("cache/thesis.tex", "x");
  EXPECT_THAT(try_put(*store, "payload"), HasSubstr("thesis.tex"));
  EXPECT_THAT(all_files(directory), ElementsAre("thesis.tex"));
}

TEST(TemporaryFile, GoesOnWhenSomebodyDeletesWhileItIsWritten) {
  struct Row {
    std::string_view why;
    std::string deleted;
  };
  for (const auto temporary : {TemporaryFiles::unnamed, TemporaryFiles::named})
    for (const Row& r : {Row{"tmp/", "tmp"}, Row{"the entry's directory", "symcaches"}, Row{"everything", ""}}) {
      const TempFolder folder;
      const auto directory = folder.path() / "cache";
      const auto store = open_store(directory, 1, {.temporary_files = temporary});
      put(*store, "first");
      auto writer = store->create(kKey, Quality::preferred);
      ASSERT_TRUE(writer) << writer.error();
      ASSERT_TRUE(writer->write(as_bytes("second, ")));
      std::filesystem::remove_all(directory / r.deleted);
      ASSERT_TRUE(writer->write(as_bytes("whole")));
      const auto published = std::move(*writer).publish();
      EXPECT_TRUE(published) << r.why << ": " << published.error();
      EXPECT_EQ(say(store->lookup(kKey)), "hit second, whole") << r.why;
      EXPECT_EQ(entries_in(directory), 1u) << r.why;
      EXPECT_EQ(error_of(directory), "") << r.why;
    }
}

TEST(TemporaryFile, SurvivesSomebodyWhoDeletesAllTheTime) {
  for (const auto temporary : {TemporaryFiles::unnamed, TemporaryFiles::named}) {
    const TempFolder folder;
    const auto directory = folder.path() / "cache";
    const auto store = open_store(directory, 1, {.temporary_files = temporary});
    {
      std::atomic<bool> done = false;
      const std::jthread deletes([&] {
        std::error_code ignored;
        while (!done) std::filesystem::remove_all(directory, ignored);
      });
      for (std::size_t i = 0; i < 50; ++i) try_put(*store, "payload", key_of(i % 5));
      done = true;
    }
    put(*store, "payload");
    EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
    EXPECT_EQ(entries_in(directory / "tmp"), 0u);
    EXPECT_EQ(error_of(directory), "");
  }
}

TEST(TemporaryFile, AnotherDirectoryOfThatNameIsNotWrittenTo) {
  const TempFolder folder;
  const auto directory = folder.path() / "cache";
  const auto store = open_store(directory);
  auto writer = store->create(kKey, Quality::preferred);
  ASSERT_TRUE(writer) << writer.error();
  std::filesystem::remove_all(directory);
  folder.write("cache/thesis.tex", "x");
  EXPECT_THAT(std::move(*writer).publish().error(), HasSubstr("thesis.tex"));
  EXPECT_THAT(all_files(directory), ElementsAre("thesis.tex"));
}

TEST(TemporaryFile, AFileInPlaceOfADirectoryIsAnError) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  folder.write("symcaches", "x");
  EXPECT_THAT(try_put(*store, "payload"), HasSubstr("could not publish it"));
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag, "symcaches"));
  folder.write("tmp2", "x");
  std::filesystem::remove_all(folder.path() / "tmp");
  std::filesystem::rename(folder.path() / "tmp2", folder.path() / "tmp");
  EXPECT_THAT(try_put(*store, "payload"), HasSubstr("/tmp: could not create"));
}

/// A child that is killed in the middle of writing.
void kill_while_writing(const std::filesystem::path& directory, TemporaryFiles temporary) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = Store::open(directory, kOtherRun, {.temporary_files = temporary});
    if (!store) ::_exit(1);
    auto writer = (*store)->create(kKey, Quality::preferred);
    const std::vector<std::byte> much(1 << 20);
    if (!writer || !writer->write(much) || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ::close(ready[1]);
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(TemporaryFile, AKilledProcessLeavesNothing) {
  const TempFolder folder;
  kill_while_writing(folder.path(), TemporaryFiles::unnamed);
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag));
}

TEST(TemporaryFile, WithoutUnnamedFilesTheNextServerRemovesIt) {
  const TempFolder folder;
  kill_while_writing(folder.path(), TemporaryFiles::named);
  EXPECT_EQ(entries_in(folder.path() / "tmp"), 1u);
  const auto store = open_store(folder.path());
  EXPECT_EQ(entries_in(folder.path() / "tmp"), 1u) << "opening removes nothing";
  EXPECT_EQ(store->remove_left_overs(), 1u);
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag));
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
