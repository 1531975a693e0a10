#include "store/entry_name.hpp"

#include <gtest/gtest.h>

namespace symcached::store {
namespace {

TEST(EntryName, PlacesThatAreNone) {
  struct Row {
    std::string_view text;
    bool good;
  };
  const std::string longest = "objects/v1/" + std::string(kMaxPlace - 11, 's');
  const std::string too_long = longest + "s";
  const Row rows[] = {
      {"symcaches/v1/global", true},
      {"object_meta/v0/tenant-7.A_b", true},
      {"symcaches/v4294967295/global", true},
      {longest, true},
      {too_long, false},
      {"", false},
      {"symcaches", false},
      {"symcaches/v1", false},
      {"symcaches/v1/", false},
      {"/v1/global", false},
      {"symcaches/1/global", false},
      {"symcaches/v/global", false},
      {"symcaches/v01/global", false},
      {"symcaches/v4294967296/global", false},
      {"symcaches/v-1/global", false},
      {"symcaches/v1/..", false},
      {"symcaches/v1/.hidden", false},
      {"symcaches/v1/-rf", false},
      {"symcaches/v1/a/b", false},
      {"../v1/global", false},
      {"Symcaches/v1/global", false},
      {"symcaches/v1/gl\nobal", false},
      {std::string_view("symcaches/v1/a\0b", 16), false},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_place(r.text).has_value(), r.good) << r.text;
}

TEST(EntryName, RoundTrips) {
  const EntryKey key{{"symcaches", 12}, "global", "a.pdb/1"};
  const std::string name = entry_name(key);
  const auto parsed = parse_entry_name(name);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->place, "symcaches/v12/global");
  EXPECT_EQ(parsed->digest, sha256(as_bytes("a.pdb/1")));
  EXPECT_EQ(entry_name(parsed->place, parsed->digest), name);
  const auto place = parse_place(parsed->place);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->kind, "symcaches");
  EXPECT_EQ(place->version, 12u);
  EXPECT_EQ(place->scope, "global");
}

TEST(EntryName, OnlyTheNameItself) {
  const std::string name = entry_name(EntryKey{{"symcaches", 12}, "global", "a.pdb/1"});
  for (std::size_t n = 0; n < name.size(); ++n) EXPECT_FALSE(parse_entry_name(name.substr(0, n))) << n;
  for (const char c : {'/', 'A', 'g', '.'}) {
    for (std::size_t i = name.size() - 66; i < name.size(); ++i) {
      std::string spoilt = name;
      if (spoilt[i] == c) continue;
      spoilt[i] = c;
      EXPECT_FALSE(parse_entry_name(spoilt)) << spoilt;
    }
  }
}

}  // namespace
}  // namespace symcached::store
