/// All names of this very program against llvm-cxxfilt.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "demangle/demangle.hpp"

namespace symcached::demangle {
namespace {

std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t size; (size = getline(&line, &capacity, pipe)) > 0;)
    lines.emplace_back(line, static_cast<std::size_t>(size) - (line[size - 1] == '\n'));
  std::free(line);
  pclose(pipe);
  return lines;
}

class Oracle : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v llvm-nm-22 llvm-cxxfilt-22 >/dev/null") != 0)
      GTEST_SKIP() << "llvm-nm-22 or llvm-cxxfilt-22 is not installed";
    for (std::string& name : lines_of("llvm-nm-22 -j " + std::filesystem::read_symlink("/proc/self/exe").string()))
      if (scheme_of(name) != Scheme::none) names_.insert(std::move(name));
    ASSERT_GT(names_.size(), 1000u);
    std::ofstream out(path_);
    for (const std::string& name : names_) out << name << '\n';
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<std::string> theirs(const std::string& options) {
    return lines_of("llvm-cxxfilt-22 " + options + " <" + path_.string());
  }

  std::set<std::string> names_;
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("symcached_names_" + std::to_string(getpid()));
};

TEST_F(Oracle, EachNameOfThisProgramIsShownAsLlvmShowsIt) {
  const auto want = theirs("");
  ASSERT_EQ(want.size(), names_.size());
  auto text = want.begin();
  for (const std::string& name : names_) EXPECT_EQ(demangle(name), *text++);
}

TEST_F(Oracle, AndWithoutParameters) {
  const auto want = theirs("--no-params");
  ASSERT_EQ(want.size(), names_.size());
  auto text = want.begin();
  for (const std::string& name : names_) {
    const std::string ours = demangle(name, Detail::no_parameters);
    // They drop the suffix of a clone with the parameters.
    EXPECT_TRUE(ours == *text || ours.starts_with(*text + " (.")) << ours << "\n" << *text;
    ++text;
  }
}

}  // namespace
}  // namespace symcached::demangle
