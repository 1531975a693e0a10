#include "sources/file_name.hpp"

#include <gtest/gtest.h>

namespace symcached::sources {
namespace {

TEST(FileName, RefusesWhatCouldLeaveAFolder) {
  struct Row {
    std::string_view name;
    bool good;
  };
  const std::string longest(kMaxFileName, 'a');
  const std::string too_long(kMaxFileName + 1, 'a');
  const Row rows[] = {
      {"crash.pdb", true},
      {"a b+c~(d)'.pdb", true},
      {"%2E%2E", true},
      {"\xc3\xa9.pdb", true},
      {longest, true},
      {too_long, false},
      {"", false},
      {".", false},
      {"..", false},
      {".temp", false},
      {"a.", false},
      {"a ", false},
      {"a/b", false},
      {"a\\b", false},
      {"c:", false},
      {"a*", false},
      {"a?", false},
      {"a\"", false},
      {"a<", false},
      {"a>", false},
      {"a|", false},
      {"a\nb", false},
      {{"a\0b", 3}, false},
      {"a\x7f", false},
      {"\xff.pdb", false},
      {"\xc0\xaf", false},
      {"\xed\xa0\x80", false},
      {"\xc3", false},
      {"\xf4\x90\x80\x80", false},
  };
  for (const Row& r : rows) EXPECT_EQ(check_file_name(r.name).has_value(), r.good) << r.name;
}

}  // namespace
}  // namespace symcached::sources
