#include "sources/symstore.hpp"

#include <gmock/gmock.h>

#include "sources/file_name.hpp"

namespace symcached::sources {
namespace {

constexpr std::string_view kUpper = "3249D99D0C4049318610F4E4FB0B6936";
constexpr std::string_view kLower = "3249d99d0c4049318610f4e4fb0b6936";

DebugId id(std::uint32_t age) { return {*Guid::parse(kUpper), age}; }

std::string with(std::string_view guid, std::string_view before, std::string_view after) {
  return std::string(before) + std::string(guid) + std::string(after);
}

std::vector<std::string> paths(Tiers tiers, std::string_view name, std::uint32_t age) {
  std::vector<std::string> all;
  for (const Place& place : symstore_places(tiers, name, id(age))) all.push_back(place.path);
  return all;
}

TEST(Symstore, AsksEverySpellingOnceInOrder) {
  EXPECT_THAT(
      paths(Tiers::one, "Crash.pdb", 26),
      testing::ElementsAre(with(kUpper, "Crash.pdb/", "1a/Crash.pdb"), with(kUpper, "Crash.pdb/", "1a/Crash.pd_"),
                           with(kLower, "crash.pdb/", "1a/crash.pdb"), with(kLower, "crash.pdb/", "1a/crash.pd_"),
                           with(kUpper, "Crash.pdb/", "1A/Crash.pdb"), with(kUpper, "Crash.pdb/", "1A/Crash.pd_")));
  EXPECT_THAT(
      paths(Tiers::one, "crash.pdb", 1),
      testing::ElementsAre(with(kUpper, "crash.pdb/", "1/crash.pdb"), with(kUpper, "crash.pdb/", "1/crash.pd_"),
                           with(kLower, "crash.pdb/", "1/crash.pdb"), with(kLower, "crash.pdb/", "1/crash.pd_")))
      << "an age of decimal digits has one spelling";
}

TEST(Symstore, TwoTiersPutTheFirstLettersInFront) {
  struct Row {
    std::string_view why, name, first;
  };
  const Row rows[] = {
      {"two letters", "crash.pdb", "cr/crash.pdb/"},
      {"second is a dot", "a.pdb", "a/a.pdb/"},
      {"one letter", "a", "a/a/"},
  };
  for (const Row& r : rows)
    EXPECT_EQ(paths(Tiers::two, r.name, 1).front(), with(kUpper, r.first, "1/" + std::string(r.name))) << r.why;
}

TEST(Symstore, PortableAgeIsEightLetters) {
  EXPECT_EQ(paths(Tiers::one, "a.pdb", 0xffffffff).front(), with(kUpper, "a.pdb/", "ffffffff/a.pdb"));
}

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
