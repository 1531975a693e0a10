#include "store/walk.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using testing::UnorderedElementsAre;

void fail(const std::string& name, std::string_view what) { ADD_FAILURE() << name << ": " << what; }

struct Seen {
  std::vector<std::string> entries, others;
};

Seen walk_all(const std::filesystem::path& folder) {
  Seen seen;
  const Visitor visitor{
      [&](const FoundEntry& e) { seen.entries.push_back(std::string(e.name)); },
      [&](const std::string& name, std::string_view what) { seen.others.push_back(name + ": " + std::string(what)); },
      fail};
  const auto walked = walk(folder, visitor);
  EXPECT_TRUE(walked) << walked.error();
  return seen;
}

TEST(Walk, FindsEveryEntryAndWhatItIs) {
  const TempFolder folder;
  const auto store = open_store(folder.path() / "cache");
  put(*store, "payload");
  put(*store, "other", {{"objects", 3}, "tenant-7", "b.pdb/2 source"});
  std::vector<std::string> said;
  const Visitor visitor{
      [&](const FoundEntry& e) {
        said.push_back(
            fmt::format("{} {} {} {}", e.place.kind, e.place.version, e.place.scope, e.size() - kPayloadOffset));
        EXPECT_EQ(e.name, entry_name(e.place.kind == "objects" ? EntryKey{{"objects", 3}, "tenant-7", "b.pdb/2 source"}
                                                               : kKey));
        EXPECT_LT(Store::now() - e.last_use(), std::chrono::minutes(1));
      },
      fail, fail};
  ASSERT_TRUE(walk(folder.path() / "cache", visitor));
  EXPECT_THAT(said, UnorderedElementsAre("symcaches 1 global 7", "objects 3 tenant-7 5"));
}

TEST(Walk, SaysWhatIsNoEntryAndFollowsNoLink) {
  const TempFolder folder;
  const auto cache = folder.path() / "cache";
  put(*open_store(cache), "payload");
  const std::string digits(62, '0');
  folder.write("elsewhere/v1/global/ab/" + digits, "x");
  folder.write("cache/tmp/entry-1", "not looked at");
  folder.write("cache/stray", "x");
  folder.write("cache/symcaches/v01/global/ab/" + digits, "x");
  folder.write("cache/symcaches/v1/global/ab/notes.txt", "x");
  folder.write("cache/symcaches/v1/global/AB/" + digits, "x");
  folder.write("cache/symcaches/v1/global/cd/" + digits + "/deep", "x");
  std::filesystem::create_directory_symlink(folder.path() / "elsewhere", cache / "objects");
  std::filesystem::create_symlink(folder.path() / "cache/stray",
                                  cache / "symcaches/v1/global/cd" / ("1" + digits.substr(1)));
  const Seen seen = walk_all(cache);
  EXPECT_THAT(seen.entries, UnorderedElementsAre(entry_name(kKey)));
  EXPECT_THAT(seen.others,
              UnorderedElementsAre("stray: a file where a directory belongs", "objects: a symbolic link",
                                   "symcaches/v01: a directory of another name than those of a cache",
                                   "symcaches/v1/global/AB: a directory of another name than those of a cache",
                                   "symcaches/v1/global/ab/notes.txt: a file of another name than those of entries",
                                   "symcaches/v1/global/cd/" + digits + ": a directory where an entry belongs",
                                   "symcaches/v1/global/cd/1" + digits.substr(1) + ": a symbolic link"));
}

TEST(Walk, RefusesWhatIsNoCache) {
  const TempFolder folder;
  folder.write("home/letter", "x");
  const Visitor none{[](const FoundEntry&) { FAIL(); }, fail, fail};
  const auto why = [&](const char* name) {
    const auto walked = walk(folder.path() / name, none);
    return walked ? "" : walked.error();
  };
  EXPECT_THAT(why("missing"), testing::HasSubstr("missing: cannot open: No such file"));
  EXPECT_THAT(why("home/letter"), testing::HasSubstr("letter: cannot open: Not a directory"));
  EXPECT_THAT(why("home"), testing::HasSubstr("home: not marked as a cache (no .symcached)"));
}

TEST(Walk, TellsWhatItLeavesAndStopsWhenTold) {
  const TempFolder folder;
  put(*open_store(folder.path()), "payload");
  std::vector<std::string> left;
  const auto tell = [&](const LeftFolder& l) {
    left.push_back((l.holds_entries ? "entries in " : "") + std::string(l.leaf));
    return l.holds_entries;
  };
  const auto walked = walk(folder.path(), {.left = tell});
  ASSERT_TRUE(walked);
  EXPECT_FALSE(*walked);
  EXPECT_THAT(left, testing::ElementsAre("entries in " + entry_name(kKey).substr(20, 2), "global"));
}

TEST(Walk, WhatVanishesMeanwhileIsNoFault) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  for (std::size_t i = 0; i < 20; ++i) put(*store, "payload", key_of(i));
  std::size_t seen = 0;
  const Visitor visitor{[&](const FoundEntry&) {
                          ++seen;
                          std::filesystem::remove_all(folder.path() / "symcaches");
                        },
                        fail, fail};
  EXPECT_TRUE(walk(folder.path(), visitor));
  EXPECT_GE(seen, 1u);
}

}  // namespace
}  // namespace symcached::store
