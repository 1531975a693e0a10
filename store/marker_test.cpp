#include "store/marker.hpp"

#include <gmock/gmock.h>

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kMarker(kMarkerName);
const std::string kTag(kTagName);

std::string error_of(const std::filesystem::path& directory) {
  const auto store = Store::open(directory, 1);
  return store ? "" : store.error();
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
      {"a file", "thesis.tex", "x", "not empty (\"thesis.tex\")"},
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
  EXPECT_THAT(error_of(folder.path()), HasSubstr("cannot open .symcached"));
  EXPECT_EQ(content_of(folder.path() / "elsewhere"), "");
}

TEST(Ownership, SaysWhatIsNoDirectory) {
  const TempFolder folder;
  folder.write("file", "x");
  for (const auto& path : {folder.path() / "file", folder.path() / "file/below", std::filesystem::path("/proc/none")})
    EXPECT_THAT(error_of(path), AllOf(HasSubstr("cache directory"), HasSubstr("cannot create: "))) << path;
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

}  // namespace
}  // namespace symcached::store
