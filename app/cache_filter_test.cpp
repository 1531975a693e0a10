#include "app/cache_filter.hpp"

#include <gtest/gtest.h>

namespace symcached::app {
namespace {

TEST(CacheFilter, MatchesPartsOfKeys) {
  struct Row {
    std::string_view text, key;
    bool want;
  };
  constexpr std::string_view kKey = "crash.pdb/3249D99D0C4049318610F4E4FB0B69361a https://symbols.example.org/";
  const Row rows[] = {
      {"crash", kKey, true},
      {"CRASH.PDB", kKey, true},
      {"3249d99d", kKey, true},
      {"crash.pdb/3249", kKey, true},
      {"3249d99d-0c40-4931-8610-f4e4fb0b6936", kKey, true},
      {"{3249D99D-0C40-4931-8610-F4E4FB0B6936}", kKey, true},
      {"3249d99d-0c40", kKey, false},
      {"other", kKey, false},
      {"*.pdb", kKey, true},
      {"*.dll", kKey, false},
      {"crash.???", kKey, true},
      {"crash.??", kKey, false},
      {"rash*", kKey, false},
      {"3249*1a", kKey, true},
      {"crash*example*", kKey, true},
      {"*", kKey, true},
      {"*", "", true},
      {"a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
      {"a.pdb", "", false},
  };
  for (const Row& r : rows) EXPECT_EQ(matches_key(r.text, r.key), r.want) << r.text << " in " << r.key;
}

TEST(CacheFilter, EveryKindOfConditionHasToHold) {
  const store::TimePoint now{std::chrono::hours(1'000'000)};
  store::FoundEntry entry{"symcaches/v2/global/ab/cd", {"symcaches", 2, "global"}, {}};
  entry.info.st_mtim.tv_sec = (1'000'000L - 10) * 3600;
  service::EntryReport report;
  report.head.key = "crash.pdb/1";
  struct Row {
    const char* why;
    CacheFilter filter;
    bool want;
  };
  const Row rows[] = {
      {"no condition", {}, true},
      {"kind", {.kinds = {"objects", "symcaches"}}, true},
      {"another kind", {.kinds = {"objects"}}, false},
      {"scope", {.scopes = {"global"}}, true},
      {"another scope", {.kinds = {"symcaches"}, .scopes = {"tenant"}}, false},
      {"old enough", {.older_than_ms = 9 * 3'600'000}, true},
      {"used since", {.older_than_ms = 11 * 3'600'000}, false},
      {"state", {.states = {static_cast<int>(service::EntryState::hit)}}, true},
      {"another state", {.states = {static_cast<int>(service::EntryState::old)}}, false},
      {"text", {.texts = {"other", "crash"}}, true},
      {"another text", {.texts = {"other"}, .kinds = {"symcaches"}}, false},
  };
  for (const Row& r : rows) EXPECT_EQ(r.filter.matches(entry, now) && r.filter.matches(report), r.want) << r.why;
  EXPECT_TRUE(CacheFilter{}.is_empty());
  for (std::size_t i = 1; i < std::size(rows); ++i) EXPECT_FALSE(rows[i].filter.is_empty()) << rows[i].why;
}

}  // namespace
}  // namespace symcached::app
