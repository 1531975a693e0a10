#include "store/checked_files.hpp"

#include <gtest/gtest.h>

namespace symcached::store {
namespace {

const FileStamp kStamp{.device = 1, .inode = 2, .changed_ns = 3, .size = 4};
const auto kHead = std::make_shared<const Head>();

TEST(CheckedFiles, AnyChangeOfTheFileCounts) {
  CheckedFiles files;
  files.put("a", {kStamp, kHead});
  EXPECT_EQ(files.find("a", kStamp).value().head, kHead);
  EXPECT_FALSE(files.find("b", kStamp));
  for (const FileStamp& other : {FileStamp{9, 2, 3, 4}, {1, 9, 3, 4}, {1, 2, 9, 4}, {1, 2, 3, 9}})
    EXPECT_FALSE(files.find("a", other));
}

TEST(CheckedFiles, AStampIsReplacedOnlyWhereItIsTheSame) {
  CheckedFiles files;
  const FileStamp touched{1, 2, 33, 4};
  files.put("a", {kStamp, kHead});
  files.restamp("a", touched, touched);
  EXPECT_TRUE(files.find("a", kStamp));
  files.restamp("a", kStamp, touched);
  EXPECT_FALSE(files.find("a", kStamp));
  EXPECT_TRUE(files.find("a", touched));
}

TEST(CheckedFiles, StaysBoundedAndKeepsWhatIsAskedFor) {
  CheckedFiles files(100);
  files.put("asked for", {kStamp, kHead});
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    files.put(std::to_string(i), {kStamp, kHead});
    EXPECT_TRUE(files.find("asked for", kStamp)) << i;
    for (int j = std::max(0, i - 60); j < i; j += 7) files.find(std::to_string(j), kStamp);
    most = std::max(most, files.size());
  }
  EXPECT_LE(most, 100u);
  EXPECT_FALSE(files.find("0", kStamp));
  EXPECT_TRUE(files.find("999", kStamp));
}

}  // namespace
}  // namespace symcached::store
