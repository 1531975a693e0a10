#include "store/store.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <thread>

#include "base/hex.hpp"
#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

void overwrite(const std::filesystem::path& path, std::uint64_t at, char value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(value);
}

TEST(Store, PublishesAtOnceOrNotAtAll) {
  for (const auto temporary : {TemporaryFiles::unnamed, TemporaryFiles::named}) {
    const TempFolder folder;
    const auto store = open_store(folder.path(), 1, {.temporary_files = temporary});
    {
      auto dropped = store->create(kKey);
      ASSERT_TRUE(dropped) << dropped.error();
      ASSERT_TRUE(dropped->write(as_bytes("half")));
      EXPECT_EQ(say(store->lookup(kKey)), "miss");
      EXPECT_EQ(entries_in(folder.path()), temporary == TemporaryFiles::named ? 1u : 0u);
    }
    EXPECT_EQ(entries_in(folder.path()), 0u);
    put(*store, "first");
    EXPECT_EQ(say(store->lookup(kKey)), "hit first");
    put(*store, "second");
    EXPECT_EQ(say(store->lookup(kKey)), "hit second");
    EXPECT_EQ(entries_in(folder.path()), 1u);
    EXPECT_EQ(entries_in(folder.path() / "tmp"), 0u);
  }
}

TEST(Store, LaysOutByKindVersionScopeAndHash) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const std::string hash = to_hex(sha256(as_bytes("a.pdb/1")));
  EXPECT_EQ(store->path_of(kKey), folder.path() / "symcaches/v1/global" / hash.substr(0, 2) / hash.substr(2));
}

TEST(Store, AnEntrySaysWhatItWasMadeFrom) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  auto writer = store->create(kKey, "length=5 etag=\"a\nb\"");
  ASSERT_TRUE(writer) << writer.error();
  ASSERT_TRUE(std::move(*writer).publish({.quality = Quality::symbol_table}));
  for (const Lookup& lookup : {store->lookup(kKey), open_store(folder.path(), 2)->lookup(kKey)}) {
    ASSERT_TRUE(std::holds_alternative<Hit>(lookup)) << say(lookup);
    const Entry& entry = *std::get<Hit>(lookup).entry;
    EXPECT_EQ(entry.head().identity, "length=5 etag=\"a b\"");
    EXPECT_EQ(entry.head().quality, Quality::symbol_table);
    EXPECT_EQ(entry.size(), 0u);
  }
}

TEST(Store, WhatDoesNotHoldIsAMissAndIsReplaced) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const auto path = store->path_of(kKey);
  struct Row {
    std::string_view why;
    std::function<void()> spoil;
  };
  const Row rows[] = {
      {"a changed byte of the payload", [&] { overwrite(path, kPayloadOffset + 2, 'X'); }},
      {"a changed byte of the head", [&] { overwrite(path, 20, 'X'); }},
      {"cut in the payload", [&] { std::filesystem::resize_file(path, kPayloadOffset + 3); }},
      {"cut in the head", [&] { std::filesystem::resize_file(path, 100); }},
      {"empty", [&] { std::filesystem::resize_file(path, 0); }},
      {"grown", [&] { std::filesystem::resize_file(path, kPayloadOffset + 100); }},
      {"an older version of the head", [&] { overwrite(path, 8, 1); }},
      {"a directory", [&] { std::filesystem::remove(path), std::filesystem::create_directory(path); }},
      {"a pipe", [&] { std::filesystem::remove(path), ::mkfifo(path.c_str(), 0600); }},
      {"a symbolic link",
       [&] {
         std::filesystem::rename(path, folder.path() / "elsewhere");
         std::filesystem::create_symlink(folder.path() / "elsewhere", path);
       }},
      {"a file in place of its directory",
       [&] {
         std::filesystem::remove_all(path.parent_path());
         std::ofstream(path.parent_path()) << "x";
       }},
  };
  for (const Row& r : rows) {
    put(*store, "payload");
    r.spoil();
    EXPECT_EQ(say(store->lookup(kKey)), "miss") << r.why;
    EXPECT_EQ(say(store->lookup_checked(kKey)), "miss") << r.why << ": once read, not read again";
    store->remember(kKey, Absent{Store::now()});
    EXPECT_EQ(say(store->lookup(kKey)), "absent") << r.why;
    store->remove(kKey);
    EXPECT_EQ(say(store->lookup(kKey)), "miss") << r.why;
    std::filesystem::remove_all(path.parent_path());
  }
}

TEST(Store, ABadEntryIsReplaced) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  overwrite(store->path_of(kKey), kPayloadOffset + 2, 'X');
  EXPECT_EQ(say(store->lookup(kKey)), "miss");
  put(*store, "payload");
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
}

TEST(Store, ReadsAPayloadOnceAndOnlyWhereItMayWait) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  EXPECT_EQ(say(store->lookup_checked(kKey)), "not checked yet");
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
  EXPECT_EQ(say(store->lookup_checked(kKey)), "hit payload");
}

TEST(Store, AnEntryOutlivesItsNameAndTheStore) {
  const TempFolder folder;
  auto store = open_store(folder.path());
  put(*store, "payload");
  const Lookup open = store->lookup(kKey);
  std::filesystem::remove_all(folder.path() / "symcaches");
  EXPECT_EQ(say(open), "hit payload");
  EXPECT_EQ(say(store->lookup(kKey)), "miss");
  auto writer = store->create(kKey);
  ASSERT_TRUE(writer);
  store.reset();
  EXPECT_EQ(say(open), "hit payload");
  ASSERT_TRUE(writer->write(as_bytes("again")));
  ASSERT_TRUE(std::move(*writer).publish());
  EXPECT_EQ(say(open_store(folder.path())->lookup(kKey)), "hit again");
}

TEST(Store, AnEntryOfAnotherKeyIsAMiss) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  EntryKey other = kKey;
  other.readable = "b.pdb/1";
  std::filesystem::create_directories(store->path_of(other).parent_path());
  std::filesystem::copy_file(store->path_of(kKey), store->path_of(other));
  EXPECT_EQ(say(store->lookup(other)), "miss");
}

TEST(Store, RefusesAKeyThatIsTooLong) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const EntryKey longest{kKey.kind, "global", std::string(kMaxKey, 'k')};
  const EntryKey too_long{kKey.kind, "global", std::string(kMaxKey + 1, 'k')};
  EXPECT_EQ(try_put(*store, "payload", longest), "");
  EXPECT_EQ(say(store->lookup(longest)), "hit payload");
  EXPECT_NE(try_put(*store, "payload", too_long).find("2049 bytes"), std::string::npos);
}

TEST(Store, TouchesAtMostOnceAnHour) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  const auto path = store->path_of(kKey);
  struct Row {
    std::string_view why;
    std::chrono::minutes age;
    bool touched;
  };
  for (const Row& r : {Row{"an hour and more", std::chrono::minutes(61), true},
                       Row{"less than an hour", std::chrono::minutes(30), false}}) {
    const auto used = std::filesystem::file_time_type::clock::now() - r.age;
    std::filesystem::last_write_time(path, used);
    EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
    EXPECT_EQ(std::filesystem::last_write_time(path) > used + std::chrono::seconds(1), r.touched) << r.why;
    EXPECT_EQ(say(store->lookup_checked(kKey)), "hit payload") << r.why << ": our own touch is no change";
  }
}

TEST(Store, ManyThreadsOnFewKeys) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const auto work = [&](std::size_t seed) {
    for (std::size_t i = 0; i < 60; ++i) {
      const EntryKey key = key_of((i + seed) % 3);
      if (i % 4 == 0) put(*store, "payload", key);
      if (i % 7 == 0) store->remember(key, Absent{Store::now()});
      if (i % 9 == 0) store->remove(key);
      if (i % 11 == 0) {
        EXPECT_TRUE(store->keep(key));
      }
      const std::string said = say(i % 2 == 0 ? store->lookup(key) : store->lookup_checked(key));
      EXPECT_TRUE(said == "hit payload" || said == "miss" || said == "absent" || said == "not checked yet") << said;
      store->remove_left_overs();
      EXPECT_FALSE(store->no_space());
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
}

}  // namespace
}  // namespace symcached::store
