#include "store/unnamed_files.hpp"

#include <stdlib.h>

#include "store/store_testing.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

/// $TMPDIR as a test wants it.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& path) {
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryDirectory() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_;
};

TEST(UnnamedFiles, AStoreThatLeavesNothing) {
  const TempFolder folder;
  const TemporaryDirectory here(folder.path());
  auto store = Store::unnamed();
  EXPECT_EQ(say(store->lookup(kKey)), "miss");
  put(*store, "first");
  EXPECT_EQ(say(store->lookup_checked(kKey)), "not checked yet");
  EXPECT_EQ(say(store->lookup(kKey)), "hit first");
  const Lookup open = store->lookup(kKey);
  put(*store, "second");
  EXPECT_EQ(say(store->lookup(kKey)), "hit second");
  EXPECT_EQ(say(open), "hit first");
  EXPECT_TRUE(all_files(folder.path()).empty());
  store->remove(kKey);
  EXPECT_EQ(say(store->lookup(kKey)), "miss");
  store->remember(kKey, Absent{Store::now()});
  EXPECT_EQ(say(store->lookup(kKey)), "absent");
  EXPECT_TRUE(store->keep(kKey));
  EXPECT_EQ(store->remove_left_overs(), 0u);
  EXPECT_TRUE(all_files(folder.path()).empty());
  store.reset();
  EXPECT_EQ(say(open), "hit first") << "an entry outlives its store";
}

TEST(UnnamedFiles, AMissingTemporaryDirectoryIsNoMatter) {
  for (const char* path : {"/no/such/directory", "", "/proc"}) {
    const TemporaryDirectory nowhere(path);
    const auto store = Store::unnamed();
    put(*store, "payload");
    EXPECT_EQ(say(store->lookup(kKey)), "hit payload") << path;
  }
}

TEST(UnnamedFiles, HoldsSoManyDescriptors) {
  const auto store = Store::unnamed();
  for (std::size_t i = 0; i <= UnnamedFiles::kMostKept; ++i) put(*store, "payload", key_of(i));
  EXPECT_EQ(say(store->lookup(key_of(0))), "miss");
  EXPECT_EQ(say(store->lookup(key_of(1))), "hit payload");
  EXPECT_EQ(say(store->lookup(key_of(UnnamedFiles::kMostKept))), "hit payload");
}

}  // namespace
}  // namespace symcached::store
