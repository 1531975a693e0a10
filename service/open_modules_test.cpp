#include "service/open_modules.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "store/store.hpp"
#include "testing/caches/own_module.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

using ::testing::HasSubstr;

class OpenModulesTest : public ::testing::Test {
 protected:
  static store::EntryKey key(int i) { return {{"symcaches", 1}, "global", "made-up.pdb/" + std::to_string(i)}; }

  static std::vector<std::byte> symcache(std::uint64_t seed) {
    testkit::RandomSource random(seed);
    return testkit::write(testkit::ModuleMaker(random, false, 1).functions(20));
  }
  std::shared_ptr<const store::Entry> put(int i, Bytes payload) {
    auto writer = store_->create(key(i));
    EXPECT_TRUE(writer && writer->write(payload) && std::move(*writer).publish());
    const store::Lookup found = store_->lookup(key(i));
    return std::get<store::Hit>(found).entry;
  }
  OpenModules make(std::uint64_t budget) {
    return OpenModules(budget, [this] { return now_; });
  }

  TempFolder folder_;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(folder_.path(), 1));
  std::chrono::steady_clock::time_point now_{};
};

TEST_F(OpenModulesTest, IsReadOnceAndFound) {
  OpenModules modules = make(1 << 20);
  const auto bytes = symcache(1);
  const auto entry = put(1, bytes);
  EXPECT_EQ(modules.find(key(1)), nullptr);
  const auto opened = modules.open(key(1), *entry);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_TRUE(std::ranges::equal((*opened)->cache(), bytes));
  EXPECT_EQ(modules.find(key(1)), *opened);
  EXPECT_EQ(modules.find(key(2)), nullptr);
  std::filesystem::resize_file(store_->path_of(key(1)), 0);
  EXPECT_TRUE(std::ranges::equal(modules.find(key(1))->cache(), bytes)) << "whoever cuts the file does no harm";
}

TEST_F(OpenModulesTest, ABetterEntryTakesItsPlaceWithinAMinute) {
  OpenModules modules = make(1 << 20);
  const auto first = *modules.open(key(1), *put(1, symcache(1)));
  now_ += OpenModules::kLookAgain;
  EXPECT_EQ(modules.find(key(1)), nullptr) << "the store is to be asked";
  EXPECT_EQ(*modules.open(key(1), *put(1, symcache(1))), first) << "the same bytes";
  EXPECT_EQ(modules.find(key(1)), first);
  const auto second = *modules.open(key(1), *put(1, symcache(2)));
  EXPECT_NE(second, first);
  EXPECT_EQ(modules.find(key(1)), second);
  EXPECT_FALSE(first->cache().empty()) << "who still has the old one may go on with it";
}

TEST_F(OpenModulesTest, AreCounted) {
  OpenModules modules = make(1 << 20);
  const auto entry = put(1, symcache(1));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(modules.open(key(1), *entry));
  const OpenModuleStats stats = modules.stats();
  EXPECT_EQ(stats.count, 1u);
  EXPECT_EQ(stats.bytes, modules.bytes());
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 2u);
}

TEST_F(OpenModulesTest, StaysWithinItsBudget) {
  const std::uint64_t one = symcache(0).size() + 1024;
  OpenModules modules = make(3 * one);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(modules.open(key(i), *put(i, symcache(0))));
    EXPECT_NE(modules.find(key(0)), nullptr) << "used all the time";
    EXPECT_LE(modules.bytes(), 3 * one);
  }
  EXPECT_NE(modules.find(key(19)), nullptr);
  EXPECT_EQ(modules.find(key(10)), nullptr);
  OpenModules none = make(0);
  EXPECT_TRUE(none.open(key(0), *put(0, symcache(0)))) << "opened, not kept";
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.bytes(), 0u);
}

TEST_F(OpenModulesTest, WhatCannotBeOpenedIsSaid) {
  OpenModules modules = make(1 << 20);
  const auto bad = modules.open(key(1), *put(1, as_bytes("no cache")));
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error(), HasSubstr("made-up.pdb/1: "));
  const auto entry = put(2, symcache(1));
  std::filesystem::resize_file(store_->path_of(key(2)), store::kPayloadOffset + 10);
  const auto cut = modules.open(key(2), *entry);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error(), HasSubstr("was cut"));
  EXPECT_EQ(modules.find(key(2)), nullptr);
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(modules.open(key(100 + i), *entry));
  EXPECT_LE(modules.bytes(), 1u << 20) << "failures are bounded, too";
}

TEST_F(OpenModulesTest, ManyThreadsGetTheSameOne) {
  OpenModules modules = make(1 << 20);
  const auto entry = put(1, symcache(1));
  std::vector<OpenModule> got(8);
  {
    std::vector<std::jthread> threads;
    for (OpenModule& mine : got) threads.emplace_back([&] { mine = *modules.open(key(1), *entry); });
  }
  for (const OpenModule& one : got) EXPECT_EQ(one, got.front());
}

}  // namespace
}  // namespace symcached::service
