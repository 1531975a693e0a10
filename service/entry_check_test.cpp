#include "service/entry_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "service/cache_versions.hpp"
#include "sourcecache/writer.hpp"
#include "store/entry_name.hpp"
#include "store/store.hpp"
#include "testing/caches/small_ppdbcache.hpp"
#include "testing/caches/small_symcache.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

using testing::HasSubstr;

class EntryCheck : public testing::Test {
 protected:
  void SetUp() override { store_ = std::move(*store::Store::open(folder_.path(), 1)); }

  std::string put(const store::EntryKey& key, Bytes payload) {
    auto writer = store_->create(key);
    EXPECT_TRUE(writer->write(payload));
    EXPECT_TRUE(std::move(*writer).publish());
    return store::entry_name(key);
  }
  std::string put(const store::EntryKey& key, std::string_view payload) { return put(key, as_bytes(payload)); }

  /// Overwrites bytes of an entry where it lies.
  void patch(const std::string& name, std::uint64_t at, std::string_view bytes) {
    std::fstream file(folder_.path() / name, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }

  /// Changes one byte, whatever it is.
  void flip(const std::string& name, std::uint64_t at) {
    std::fstream file(folder_.path() / name, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const auto changed = static_cast<char>(file.get() ^ 0x7e);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(changed);
  }

  /// "hit", "damaged: why", "gone", …
  static std::string say(const std::optional<EntryReport>& report) {
    constexpr std::array kStates{"hit", "absent", "damaged", "old", "unreadable"};
    if (!report) return "gone";
    return kStates.at(static_cast<std::size_t>(report->state)) + (report->why.empty() ? "" : ": " + report->why);
  }
  std::string look(const std::string& name) { return say(look_at_entry(folder_.path(), name)); }
  std::string check(const std::string& name) { return say(check_entry(folder_.path(), name)); }

  const std::vector<std::byte> symcache_ = testkit::write(testkit::small_functions(), testkit::named_module());
  const std::vector<std::byte> ppdbcache_ = testkit::write(testkit::small_assembly());
  const std::vector<std::byte> sourcecache_ = sourcecache::Writer().finish();
  const TempFolder folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(EntryCheck, SoundEntriesOfEveryKind) {
  const std::string names[] = {
      put({kSymcaches.now, "global", "a.pdb/1"}, symcache_),
      put({kPpdbcaches.now, "tenant", "a.pdb/2"}, ppdbcache_),
      put({kSourcecaches.now, "tenant", "a.pdb/2"}, sourcecache_),
      put({kObjects, "global", "a.pdb/1 source"}, fake_pdb("x")),
      put({kObjects, "global", "portable a.pdb/1 source"}, "BSJB\1\0\1\0"),
      put({kObjects, "global", "elf_debug:libm.so/00 source"},
          "\x7f"
          "ELF\2\1\1"),
      put({{"cficaches", 3}, "global", "not known here"}, "x"),
      put({{kSymcaches.now.name, kSymcaches.now.version + 1}, "global", "of a later program"}, "x"),
  };
  for (const std::string& name : names) {
    EXPECT_EQ(look(name), "hit") << name;
    EXPECT_EQ(check(name), "hit") << name;
  }
  EXPECT_EQ(look_at_entry(folder_.path(), names[0])->head.key, "a.pdb/1");
}

TEST_F(EntryCheck, OldVersionsAreCheckedByTheirChecksums) {
  const auto old = put({{kSymcaches.now.name, 1}, "global", "a.pdb/1"}, "of a format that nobody reads");
  EXPECT_EQ(look(old), "old");
  EXPECT_EQ(check(old), "old");
  patch(old, store::kPayloadOffset, "O");
  EXPECT_THAT(check(old), HasSubstr("damaged: "));
  const auto other_head = put({kSymcaches.now, "global", "b.pdb/1"}, symcache_);
  patch(other_head, offsetof(store::HeadRecord, version), std::string_view("\1\0\0\0", 4));
  EXPECT_EQ(check(other_head), "old");
}

TEST_F(EntryCheck, WhatIsDamagedIsNamed) {
  struct Row {
    std::string_view why;
    store::CacheKind kind;
    std::string_view key;
    std::vector<std::byte> payload;
    std::uint64_t at;  ///< of the byte that is changed; 0: none is
    std::string look, check;
  };
  auto inconsistent = symcache_;  // all checksums of the entry hold, those of the cache do not
  inconsistent.back() ^= std::byte{1};
  const auto pdb = fake_pdb("x");
  const std::vector<std::byte> original(as_bytes(pdb).begin(), as_bytes(pdb).end());
  const Row rows[] = {
      {"head", kSymcaches.now, "a/1", symcache_, 16, "damaged: ", "damaged: "},
      {"key", kSymcaches.now, "a/2", symcache_, sizeof(store::HeadRecord), "damaged: ", "damaged: "},
      {"payload", kSymcaches.now, "a/3", symcache_, store::kPayloadOffset + 200, "hit", "was changed"},
      {"in the cache", kSymcaches.now, "a/4", inconsistent, 0, "hit", "damaged: "},
      {"another cache", kPpdbcaches.now, "a/5", symcache_, 0, "hit", "damaged: "},
      {"none of sources", kSourcecaches.now, "a/6", symcache_, 0, "hit", "damaged: "},
      {"original", kObjects, "a/6 x", original, store::kPayloadOffset + 9, "hit", "the checksum differs"},
      {"another file", kObjects, "image a/7 x", original, 0, "hit", "its key asks for pe, this is pdb"},
  };
  for (const Row& r : rows) {
    const auto name = put({r.kind, "global", std::string(r.key)}, r.payload);
    if (r.at != 0) flip(name, r.at);
    EXPECT_THAT(look(name), HasSubstr(r.look)) << r.why;
    EXPECT_THAT(check(name), HasSubstr(r.check)) << r.why;
  }
}

TEST_F(EntryCheck, AnEntryUnderAnotherNameIsDamaged) {
  const auto name = put({kSymcaches.now, "global", "a.pdb/1"}, symcache_);
  const auto other = store::entry_name({kSymcaches.now, "global", "b.pdb/1"});
  std::filesystem::create_directories((folder_.path() / other).parent_path());
  std::filesystem::rename(folder_.path() / name, folder_.path() / other);
  EXPECT_EQ(check(other), "damaged: lies under the name of another key");
  EXPECT_EQ(check(name), "gone");
}

TEST_F(EntryCheck, AbsentAndCutEntries) {
  const store::EntryKey key{kSymcaches.now, "global", "a.pdb/1"};
  store_->remember(key, store::Absent{.checked = store::Store::now()});
  ASSERT_TRUE(store_->keep(key));
  EXPECT_EQ(look(store::entry_name(key)), "absent");
  EXPECT_EQ(check(store::entry_name(key)), "absent");
  const auto whole = put({kObjects, "global", "a.pdb/1 x"}, fake_pdb("x"));
  for (const std::uint64_t size : {0ull, 50ull, 4096ull, 4100ull}) {
    std::filesystem::resize_file(folder_.path() / whole, size);
    EXPECT_THAT(look(whole), HasSubstr("damaged: ")) << size;
  }
}

TEST_F(EntryCheck, WhatCannotBeReadIsNotCalledDamaged) {
  const auto name = store::entry_name({kSymcaches.now, "global", "a.pdb/1"});
  std::filesystem::create_directories((folder_.path() / name).parent_path());
  std::filesystem::create_symlink("elsewhere", folder_.path() / name);
  EXPECT_THAT(check(name), HasSubstr("unreadable: "));
  std::filesystem::remove(folder_.path() / name);
  ASSERT_EQ(::mkfifo((folder_.path() / name).c_str(), 0600), 0);
  EXPECT_EQ(check(name), "gone");
}

}  // namespace
}  // namespace symcached::service
