#include "base/path_text.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(PathText, TheLastPart) {
  struct Row {
    std::string_view path, want;
  };
  const Row rows[] = {{"", ""},      {"a.pdb", "a.pdb"},     {"/src/a.cpp", "a.cpp"}, {"D:\\out\\a.pdb", "a.pdb"},
                      {"/src/", ""}, {"D:\\src/a.h", "a.h"}, {"/src\\a.h", "a.h"},    {"\\", ""}};
  for (const Row& r : rows) EXPECT_EQ(last_path_part(r.path), r.want) << r.path;
}

}  // namespace
}  // namespace symcached
