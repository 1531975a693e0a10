#include "store/directory.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kOtherRun = 0xfeedface;
const std::string kMarker(kMarkerName);
const std::string kTag(kTagName);

std::string error_of(const std::filesystem::path& directory) {
  const auto store = Store::open(directory, 1);
  return store ? "" : store.error();
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
      auto writer = store->create(kKey);
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
  auto writer = store->create(kKey);
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
  EXPECT_THAT(try_put(*store, "payload"), HasSubstr("cannot publish /"));
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag, kJournalName, "symcaches"));
  folder.write("tmp2", "x");
  std::filesystem::remove_all(folder.path() / "tmp");
  std::filesystem::rename(folder.path() / "tmp2", folder.path() / "tmp");
  EXPECT_THAT(try_put(*store, "payload"), AllOf(HasSubstr("cannot create a file in "), HasSubstr("/tmp: ")));
}

/// A child that is killed in the middle of writing.
void kill_while_writing(const std::filesystem::path& directory, TemporaryFiles temporary) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = Store::open(directory, kOtherRun, {.temporary_files = temporary});
    if (!store) ::_exit(1);
    auto writer = (*store)->create(kKey);
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
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag, kJournalName));
}

TEST(TemporaryFile, WithoutUnnamedFilesTheNextServerRemovesIt) {
  const TempFolder folder;
  kill_while_writing(folder.path(), TemporaryFiles::named);
  EXPECT_EQ(entries_in(folder.path() / "tmp"), 1u);
  const auto store = open_store(folder.path());
  EXPECT_EQ(entries_in(folder.path() / "tmp"), 1u) << "opening removes nothing";
  EXPECT_EQ(store->remove_left_overs(), 1u);
  EXPECT_THAT(all_files(folder.path()), ElementsAre(kMarker, kTag, kJournalName));
}

}  // namespace
}  // namespace symcached::store
