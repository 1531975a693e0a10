#include "app/argument_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "app/drop_in.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::app {
namespace {

using Words = std::vector<std::string>;

TEST(ArgumentFiles, WordsAreReadAsAShellWould) {
  EXPECT_EQ(words_of(" -e  'a b'\n\"c \\\" d\"\\ e '' "), (Words{"-e", "a b", "c \" d e", ""}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("'open"), Words{"open"});
}

TEST(ArgumentFiles, TakeThePlaceOfTheirNames) {
  const TempFolder folder;
  const std::string one = folder.path() / "one", two = folder.path() / "two", round = folder.path() / "round";
  std::ofstream(one) << "-e app @" << two;
  std::ofstream(two) << "-f";
  std::ofstream(round) << "x @" << round;
  EXPECT_EQ(with_argument_files({"-a", "@" + one, "0x1"}), (Words{"-a", "-e", "app", "-f", "0x1"}));
  EXPECT_EQ(with_argument_files({"@/no/such", "@"}), (Words{"@/no/such", "@"}));
  EXPECT_LT(with_argument_files({"@" + round}).size(), 10'000u) << "a file that names itself comes to an end";
}

TEST(DropIn, IsToldByTheNameOfTheLink) {
  EXPECT_EQ(drop_in_of("/usr/bin/addr2line"), DropIn::gnu_addr2line);
  EXPECT_EQ(drop_in_of("x86_64-linux-gnu-addr2line"), DropIn::gnu_addr2line);
  EXPECT_EQ(drop_in_of("llvm-addr2line-22"), DropIn::llvm_addr2line);
  EXPECT_EQ(drop_in_of("/opt/llvm-symbolizer"), DropIn::llvm_symbolizer);
  EXPECT_EQ(drop_in_of("/llvm-symbolizer/symcached"), std::nullopt);
}

}  // namespace
}  // namespace symcached::app
