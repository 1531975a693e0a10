#include "profiling/naming/jit_map.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/temp_folder.hpp"

namespace symcached::pprof {
namespace {

TEST(JitNames, TheLastEntryWins) {
  struct Row {
    std::string_view why;
    std::vector<std::string_view> lines;
    std::uintptr_t address;
    std::string_view want;
  };
  const Row rows[] = {
      {"first byte", {"1000 10 f"}, 0x1000, "f"},
      {"last byte", {"1000 10 f"}, 0x100f, "f"},
      {"behind it", {"1000 10 f"}, 0x1010, ""},
      {"before it", {"1000 10 f"}, 0xfff, ""},
      {"blanks in names", {"1000 10 void f<int>(long, char)"}, 0x1000, "void f<int>(long, char)"},
      {"0x, upper case, CR", {"0x1A00 0x10 f\r"}, 0x1a00, "f"},
      {"replaced", {"1000 10 f", "1000 10 g"}, 0x1008, "g"},
      {"replaced by a part of it", {"1000 20 f", "1010 8 g"}, 0x1000, ""},
      {"several replaced by one", {"1000 8 f", "1008 8 g", "1000 20 h"}, 0x1008, "h"},
      {"neighbours stay", {"1000 8 f", "1008 8 g"}, 0x1007, "f"},
      {"no name", {"1000 10", "1000 10 "}, 0x1000, ""},
      {"no size", {"1000 0 f"}, 0x1000, ""},
      {"no number", {"q 10 f", "1000 -1 f", "11111111111111111 10 f"}, 0x1000, ""},
      {"over the end of memory", {"fffffffffffffff0 20 f"}, 0xfffffffffffffff8, ""},
  };
  for (const Row& r : rows) {
    JitNames names;
    for (const std::string_view line : r.lines) names.add_line(line);
    EXPECT_EQ(names.find(r.address), r.want) << r.why;
  }
}

class JitFile : public testing::Test {
 protected:
  void append(std::string_view text) const { std::ofstream(path_, std::ios::app) << text; }
  std::string name() {
    map_.refresh();
    return map_.name(0x1000);
  }

  TempFolder folder_;
  std::string path_ = folder_.path() / "perf.map";
  JitMap map_{[this] { return path_; }};
};

TEST_F(JitFile, IsReadAgainWhenItHasGrownOrIsAnother) {
  EXPECT_EQ(name(), "");
  append("1000 10 f\n");
  EXPECT_EQ(name(), "f");
  append("1000 10 g");
  EXPECT_EQ(name(), "f");  // a line that is being written
  append("\n");
  EXPECT_EQ(name(), "g");
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_EQ(name(), "g");
  append("2000 10 h\n");
  EXPECT_EQ(name(), "");
}

TEST_F(JitFile, IsARegularOneOfOurOwn) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(name(), "");  // and does not wait for a writer
  std::filesystem::remove(path_);
  folder_.write("elsewhere", "1000 10 f\n");
  std::filesystem::create_symlink(folder_.path() / "elsewhere", path_);
  EXPECT_EQ(name(), "");
  std::filesystem::remove(path_);
  append("1000 10 f\n");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
    EXPECT_EQ(name(), "");
    ASSERT_EQ(::chown(path_.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(name(), "f");
}

}  // namespace
}  // namespace symcached::pprof
