#include "sources/symstore.hpp"

#include <gmock/gmock.h>

#include "base/ascii.hpp"
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

std::vector<std::string> plain_paths(std::string_view name, const FileId& file) {
  std::vector<std::string> all;
  for (const Place& place : symstore_places(Tiers::one, name, file))
    if (place.packing == Packing::plain) all.push_back(place.path);
  return all;
}

TEST(Symstore, PortableKeysHoldNoStamp) {
  const Guid guid = *Guid::parse(kUpper);
  EXPECT_THAT(plain_paths("Crash.pdb", PortableId{guid, 0xdeadbeef}),
              testing::ElementsAre(
                  with(kLower, "crash.pdb/", "FFFFFFFF/crash.pdb"), with(kLower, "Crash.pdb/", "FFFFFFFF/Crash.pdb"),
                  with(kUpper, "Crash.pdb/", "FFFFFFFF/Crash.pdb"), with(kLower, "crash.pdb/", "ffffffff/crash.pdb")));
  EXPECT_EQ(PortableId::of({guid, 0xdeadbeef}), (PortableId{guid, 0xdeadbeef}));
  EXPECT_EQ(PortableId::of({guid, 0xffffffff}), PortableId{guid}) << "taken from a key";
}

TEST(Symstore, ImagesAreKeyedByStampAndSize) {
  EXPECT_THAT(plain_paths("Crash.dll", ImageId{0x05B3A077, 0xA000}),
              testing::ElementsAre("Crash.dll/05B3A077a000/Crash.dll", "crash.dll/05B3A077a000/crash.dll",
                                   "crash.dll/05b3a077a000/crash.dll", "Crash.dll/05B3A077A000/Crash.dll"));
  EXPECT_EQ(plain_paths("system.reflection.metadata.dll", ImageId{0x858257fe, 0x114000}).front(),
            "system.reflection.metadata.dll/858257FE114000/system.reflection.metadata.dll");
}

TEST(Symstore, EveryPlaceSaysWhatLiesThere) {
  const Guid guid = *Guid::parse(kUpper);
  const FileId ids[] = {
      id(0), id(26), id(0xabcdef12), PortableId{guid}, ImageId{0xab, 0xcd000}, ImageId{0xffffffff, 1}};
  std::size_t plain = 0, packed = 0;
  for (const Tiers tiers : {Tiers::one, Tiers::two})
    for (const FileId& file : ids)
      for (const std::string_view name : {"Crash.pdb", "a.b", "x", "odd name_"})
        for (const Place& place : symstore_places(tiers, name, file)) {
          const auto stored = parse_symstore_path(tiers, place.path);
          ASSERT_TRUE(stored) << place.path;
          EXPECT_EQ(stored->id, file) << place.path;
          EXPECT_THAT(stored->name, testing::AnyOf(name, lower_ascii(name))) << place.path;
          const bool looks_plain = place.path.ends_with(stored->name);
          EXPECT_EQ(stored->packing, looks_plain ? Packing::plain : Packing::underscore) << place.path;
          ++(looks_plain ? plain : packed);
        }
  EXPECT_GT(plain, 2 * std::size(ids));
  EXPECT_GT(packed, 2 * std::size(ids));
}

TEST(Symstore, OtherPathsHoldNothing) {
  const std::string guid(kUpper);
  const std::string rows[] = {
      "",
      "/",
      "///",
      "a.pdb",
      "a.pdb/" + guid + "1",
      "a.pdb/" + guid + "1/",
      "a.pdb/" + guid + "1/b.pdb",
      "a.pdb/" + guid + "/a.pdb",
      "a.pdb/" + guid + "01/a.pdb",
      "a.pdb/" + guid + "123456789/a.pdb",
      "a.pdb/" + guid + "1g/a.pdb",
      "a.pdb/{" + guid + "}1/a.pdb",
      "a.pdb/3249d99D0C4049318610F4E4FB0B69361/a.pdb",
      "A.pdb/" + std::string(kLower) + "1/A.pdb",
      "../" + guid + "1/..",
      "a/a.pdb/" + guid + "1/a.pdb",
      "/a.pdb/" + guid + "1/a.pdb",
      "a.dll/05B3A077/a.dll",
      "a.dll/05B3A0770/a.dll/",
  };
  for (const std::string& path : rows) EXPECT_FALSE(parse_symstore_path(Tiers::one, path)) << path;
  EXPECT_TRUE(parse_symstore_path(Tiers::two, "a/a.pdb/" + guid + "1/a.pdb"));
  EXPECT_FALSE(parse_symstore_path(Tiers::two, "b/a.pdb/" + guid + "1/a.pdb"));
  EXPECT_FALSE(parse_symstore_path(Tiers::two, "a.pdb/" + guid + "1/a.pdb"));
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
