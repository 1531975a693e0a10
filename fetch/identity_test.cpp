#include "fetch/identity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace symcached::fetch {
namespace {

TEST(Identity, OfAFileNamesWhatAWriterChanges) {
  struct stat info{};
  info.st_size = 4096;
  info.st_mtim = {1'700'000'000, 1};
  info.st_ino = 12;
  EXPECT_EQ(identity_of(info), "size=4096 mtime=1700000000.000000001 inode=12");
}

TEST(Identity, OfAnAnswerHasTheHeadersThatCame) {
  const std::string endless(5000, 'x');
  struct Row {
    std::string_view why;
    HttpHead head;
    std::string want;
  };
  const Row rows[] = {
      {"none", {}, ""},
      {"all",
       {.length = "7", .etag = "\"x\"", .last_modified = "Tue, 15 Nov 2022 12:45:26 GMT"},
       "length=7 etag=\"x\" last-modified=Tue,_15_Nov_2022_12:45:26_GMT"},
      {"one", {.etag = "W/\"a\""}, "etag=W/\"a\""},
      {"not printable", {.etag = "a\r\nb\x7f\xff\tc"}, "etag=a__b___c"},
      {"without end", {.etag = endless}, "etag=" + endless.substr(0, 150)},
  };
  for (const Row& r : rows) EXPECT_EQ(identity_of(r.head), r.want) << r.why;
  const std::string longest = identity_of(HttpHead{.length = endless, .etag = endless, .last_modified = endless});
  EXPECT_LE(longest.size(), kMaxIdentity);
}

TEST(Identity, IsChangedWhereSomethingBothHaveDiffers) {
  struct Row {
    std::string_view before, now;
    bool want;
  };
  const Row rows[] = {
      {"size=1 mtime=2.0 inode=3", "size=1 mtime=2.0 inode=3", false},
      {"size=1 mtime=2.0 inode=3", "size=2 mtime=2.0 inode=3", true},
      {"size=1 mtime=2.0 inode=3", "size=1 mtime=2.1 inode=3", true},
      {"size=1 mtime=2.0 inode=3", "size=1 mtime=2.0 inode=4", true},
      {"length=5 etag=a", "etag=a", false},
      {"length=5 etag=a", "etag=b", true},
      {"etag=a", "length=5", false},
      {"etag=a=b", "etag=a=c", true},
      {"", "etag=a", false},
      {"etag=a", "", false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(is_changed(r.before, r.now), r.want) << r.before << " | " << r.now;
    EXPECT_EQ(is_changed(r.now, r.before), r.want) << r.now << " | " << r.before;
  }
}

}  // namespace
}  // namespace symcached::fetch
