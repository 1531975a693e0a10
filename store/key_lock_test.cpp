#include "store/key_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

KeyLocks locks_of(const std::filesystem::path& directory) {
  return {directory, [] { return true; }};
}

TEST(KeyLock, OneHolderAKey) {
  const TempFolder folder;
  auto first = locks_of(folder.path()), second = locks_of(folder.path());  // as two processes: each its own open file
  {
    const auto guard = first.try_lock("a");
    EXPECT_TRUE(guard);
    EXPECT_FALSE(first.try_lock("a")) << "within one process too";
    EXPECT_FALSE(second.try_lock("a"));
    EXPECT_TRUE(second.try_lock("b"));
  }
  EXPECT_TRUE(second.try_lock("a"));
  EXPECT_TRUE(first.try_lock("a"));
  EXPECT_EQ(std::filesystem::file_size(folder.path() / kLocksName), 0u);
}

TEST(KeyLock, AGuardOutlivesItsLocks) {
  const TempFolder folder;
  auto guard = locks_of(folder.path()).try_lock("a");
  auto other = locks_of(folder.path());
  EXPECT_FALSE(other.try_lock("a"));
  guard.reset();
  EXPECT_TRUE(other.try_lock("a"));
}

TEST(KeyLock, DiesWithItsProcess) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto locks = locks_of(folder.path());
    const auto guard = locks.try_lock("a");
    [[maybe_unused]] const ssize_t said = ::write(ready[1], guard ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char has = 0;
  ASSERT_EQ(::read(ready[0], &has, 1), 1);
  EXPECT_EQ(has, 'y');
  auto locks = locks_of(folder.path());
  EXPECT_FALSE(locks.try_lock("a"));
  EXPECT_TRUE(locks.try_lock("b"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(locks.try_lock("a"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(KeyLock, WithoutAFileOnlyThisProcessCounts) {
  struct Row {
    std::string_view why;
    KeyLocks locks;
  };
  const TempFolder folder;
  const auto not_ours = [] { return false; };
  Row rows[] = {{"no directory", locks_of({})},
                {"a directory that is not there", locks_of("/no/such")},
                {"a directory of somebody else", {folder.path(), not_ours}}};
  for (Row& r : rows) {
    const auto guard = r.locks.try_lock("a");
    EXPECT_TRUE(guard) << r.why;
    EXPECT_FALSE(r.locks.try_lock("a")) << r.why;
    EXPECT_TRUE(r.locks.try_lock("b")) << r.why;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(KeyLock, ADeletedFileIsMadeAgain) {
  const TempFolder folder;
  auto first = locks_of(folder.path()), second = locks_of(folder.path());
  const auto before = first.try_lock("before");
  std::filesystem::remove(folder.path() / kLocksName);
  const auto guard = first.try_lock("a");
  EXPECT_TRUE(guard);
  EXPECT_FALSE(second.try_lock("a"));
  EXPECT_FALSE(first.try_lock("before"));
}

TEST(KeyLock, ThreadsExcludeEachOther) {
  const TempFolder folder;
  auto locks = locks_of(folder.path());
  std::atomic<int> inside = 0, most = 0;
  const auto work = [&] {
    for (int i = 0; i < 500; ++i) {
      const auto guard = locks.try_lock("a");
      if (!guard) continue;
      most = std::max(most.load(), ++inside);
      --inside;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  }
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(locks.try_lock("a"));
}

}  // namespace
}  // namespace symcached::store
