#include "stacks/clean_path.hpp"

#include <gtest/gtest.h>

namespace symcached::stacks {
namespace {

TEST(CleanPath, LeavesWhatIsShort) {
  std::string buffer;
  for (const std::string_view path :
       {"", "a.c", "/a/b.c", "C:\\a b\\c.d\\e.cpp", "a/b..c/d.", "//server/x", "a//b.c"}) {
    EXPECT_EQ(clean_path(path, buffer).data(), path.data()) << path;
    EXPECT_EQ(clean_path(path, buffer), path);
  }
}

TEST(CleanPath, ResolvesDots) {
  struct Row {
    std::string_view why, path, want;
  };
  const Row rows[] = {
      {"up", "/src/linux/../deps/a.cc", "/src/deps/a.cc"},
      {"up twice", "/a/b/../../c.h", "/c.h"},
      {"up twice, apart", "/a/../b/../c.h", "/c.h"},
      {"here", "/a/./b/./c.h", "/a/b/c.h"},
      {"above the root", "/../../a.h", "/a.h"},
      {"Windows", "C:\\a\\b\\..\\c.h", "C:\\a\\c.h"},
      {"above a drive", "C:\\..\\c.h", "C:\\c.h"},
      {"separators of both kinds", "C:\\a\\b/../c.h", "C:\\a/c.h"},
      {"relative", "a/../b.c", "b.c"},
      {"relative to somewhere above", "../../a/../b.c", "../../b.c"},
      {"relative to a drive's folder", "C:..\\a.c", "C:..\\a.c"},
      {"relative to here", "./a.c", "a.c"},
      {"hidden files", "/a/.b/..c/../d", "/a/.b/d"},
      {"at the end", "/a/b/..", "/a"},
      {"nothing left", "a/..", ""},
  };
  std::string buffer;
  for (const Row& r : rows) EXPECT_EQ(clean_path(r.path, buffer), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::stacks
