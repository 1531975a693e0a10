#include "store/disk_space.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace symcached::store {
namespace {

using std::chrono::seconds;

class DiskSpaceTest : public ::testing::Test {
 protected:
  bool full() const { return space_.full().has_value(); }

  SteadyTime now_{};
  DiskSpace space_{[this] { return now_; }};
};

TEST_F(DiskSpaceTest, OnlyWhatIsOfSpaceCounts) {
  struct Row {
    int error;
    bool full;
  };
  for (const Row& r : {Row{ENOSPC, true}, Row{EDQUOT, true}, Row{EFBIG, true}, Row{EROFS, true}, Row{EIO, false},
                       Row{EMFILE, false}, Row{EACCES, false}, Row{ENOENT, false}}) {
    space_.worked();
    space_.failed({r.error, "why"});
    EXPECT_EQ(full(), r.full) << r.error;
  }
}

TEST_F(DiskSpaceTest, PausesDoubleUntilAWriteWorks) {
  for (const int pause : {5, 10, 20, 40, 60, 60}) {
    space_.failed({ENOSPC, "why"});
    EXPECT_EQ(space_.full(), "why");
    now_ += seconds(pause) - std::chrono::milliseconds(1);
    EXPECT_TRUE(full()) << pause;
    now_ += std::chrono::milliseconds(1);
    EXPECT_FALSE(full()) << pause;
  }
  space_.worked();
  space_.failed({ENOSPC, "why"});
  now_ += seconds(5);
  EXPECT_FALSE(full()) << "from the start again";
}

TEST_F(DiskSpaceTest, FailuresWithinAPauseAreOne) {
  for (int i = 0; i < 10; ++i) space_.failed({ENOSPC, "why"});
  now_ += seconds(5);
  EXPECT_FALSE(full());
}

TEST_F(DiskSpaceTest, AWriteThatWorksEndsThePause) {
  space_.failed({ENOSPC, "why"});
  space_.worked();
  EXPECT_FALSE(full());
}

}  // namespace
}  // namespace symcached::store
