#include "store/store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/hex.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

const EntryKey kKey{{"symcaches", 1}, "global", "a.pdb/1"};

std::unique_ptr<Store> open_store(const std::filesystem::path& folder, std::uint64_t boot = 1) {
  auto store = Store::open(folder, boot);
  EXPECT_TRUE(store) << store.error();
  return std::move(*store);
}

void put(Store& store, std::string_view payload) {
  auto writer = store.create(kKey, Quality::preferred);
  ASSERT_TRUE(writer) << writer.error();
  ASSERT_TRUE(writer->write(as_bytes(payload)));
  ASSERT_TRUE(std::move(*writer).publish());
}

std::string payload_of(const Lookup& lookup) {
  const auto* hit = std::get_if<Hit>(&lookup);
  if (hit == nullptr) return "(no hit)";
  const auto mapped = hit->entry->map();
  return std::string(as_text(mapped->bytes().subspan(kPayloadOffset)));
}

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

void overwrite(const std::filesystem::path& path, std::uint64_t at, char value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(value);
}

TEST(Store, PublishesAtOnceOrNotAtAll) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  {
    auto dropped = store->create(kKey, Quality::preferred);
    ASSERT_TRUE(dropped->write(as_bytes("half")));
    EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
    EXPECT_EQ(files_in(folder.path() / "tmp"), 1u);
  }
  EXPECT_EQ(files_in(folder.path() / "tmp"), 0u);
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
  put(*store, "first");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "first");
  put(*store, "second");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "second");
  EXPECT_EQ(files_in(folder.path() / "tmp"), 0u);
}

TEST(Store, LaysOutByKindVersionScopeAndHash) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const std::string hash = to_hex(sha256(as_bytes("a.pdb/1")));
  EXPECT_EQ(store->path_of(kKey), folder.path() / "symcaches/v1/global" / hash.substr(0, 2) / hash.substr(2));
}

TEST(Store, ACorruptedPayloadIsAMissAndIsReplaced) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  overwrite(store->path_of(kKey), kPayloadOffset + 2, 'X');
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
  put(*store, "payload");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "payload");
}

TEST(Store, ReadsAPayloadOnceAndOnlyWhereItMayWait) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  EXPECT_FALSE(store->lookup_checked(kKey)) << "not checked yet";
  EXPECT_EQ(payload_of(store->lookup(kKey)), "payload");
  const auto again = store->lookup_checked(kKey);
  ASSERT_TRUE(again);
  EXPECT_EQ(payload_of(*again), "payload");
}

TEST(Store, GoesOnWhenSomebodyEmptiesItsFolder) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "first");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::remove_all(entry.path());
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
  put(*store, "second");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "second");
}

TEST(Store, AnEntryOutlivesItsName) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  const Lookup open = store->lookup(kKey);
  std::filesystem::remove_all(folder.path() / "symcaches");
  EXPECT_EQ(payload_of(open), "payload");
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
  put(*store, "again");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "again");
}

TEST(Store, AnEntryOfAnotherKeyIsAMiss) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  EntryKey other = kKey;
  other.readable = "b.pdb/1";
  std::filesystem::create_directories(store->path_of(other).parent_path());
  std::filesystem::copy_file(store->path_of(kKey), store->path_of(other));
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(other)));
}

TEST(Store, RemembersEachNegative) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  const TimePoint checked(Milliseconds(1234));
  ASSERT_TRUE(store->remember(kKey, Absent{checked}));
  EXPECT_EQ(std::get<Absent>(store->lookup(kKey)).checked, checked);
  ASSERT_TRUE(store->remember(kKey, Unavailable{checked, 2, "source answered 503"}));
  EXPECT_EQ(std::get<Unavailable>(store->lookup(kKey)).failures, 2);
  EXPECT_EQ(std::get<Unavailable>(*store->lookup_checked(kKey)).why, "source answered 503");
  ASSERT_TRUE(store->remember(kKey, Malformed{checked, "not a PDB"}));
  EXPECT_EQ(std::get<Malformed>(store->lookup(kKey)).why, "not a PDB");
  put(*store, "payload");
  EXPECT_EQ(payload_of(store->lookup(kKey)), "payload");
}

TEST(Store, ANewRunForgetsMalformedAndEmptiesTmp) {
  const TempFolder folder;
  {
    const auto store = open_store(folder.path(), 1);
    ASSERT_TRUE(store->remember(kKey, Malformed{Store::now(), "not a PDB"}));
    std::ofstream(folder.path() / "tmp" / "left-over") << "x";
  }
  const auto store = open_store(folder.path(), 2);
  EXPECT_TRUE(std::holds_alternative<Miss>(store->lookup(kKey)));
  EXPECT_EQ(files_in(folder.path() / "tmp"), 0u);
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
    EXPECT_EQ(payload_of(store->lookup(kKey)), "payload");
    EXPECT_EQ(std::filesystem::last_write_time(path) > used + std::chrono::seconds(1), r.touched) << r.why;
  }
}

TEST(Store, SaysWhyItCannotOpen) {
  const TempFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const auto store = Store::open(folder.path() / "file", 1);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().find("cache directory"), std::string::npos) << store.error();
}

}  // namespace
}  // namespace symcached::store
