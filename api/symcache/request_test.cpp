#include "api/symcache/request.hpp"

#include <gtest/gtest.h>

namespace symcached::api {
namespace {

constexpr std::string_view kGuid = "3249D99D0C4049318610F4E4FB0B6936";

std::expected<SymcachePath, Refusal> parse(std::string_view target) {
  const auto segments = http::path_segments(target);
  if (!segments) return std::unexpected(Refusal{400, "no path"});
  return parse_symcache_path(*segments);
}

TEST(SymcachePath, EverySpellingOfTheId) {
  const std::string_view ids[] = {
      "3249D99D0C4049318610F4E4FB0B6936",
      "3249d99d0c4049318610f4e4fb0b6936",
      "3249d99d-0c40-4931-8610-f4e4fb0b6936",
      "{3249d99d-0c40-4931-8610-f4e4fb0b6936}",
      "%7B3249D99D-0C40-4931-8610-F4E4FB0B6936%7D",
      "(3249d99d-0c40-4931-8610-f4e4fb0b6936)",
      "{0x3249d99d,0x0c40,0x4931,{0x86,0x10,0xf4,0xe4,0xfb,0x0b,0x69,0x36}}",
      "%7B0x3249d99d,0xc40,0x4931,%7B0x86,0x10,0xf4,0xe4,0xfb,0xb,0x69,0x36%7D%7D",
  };
  for (const std::string_view id : ids) {
    const auto path = parse("/v1.0.0/a.pdb/" + std::string(id));
    ASSERT_TRUE(path) << id << ": " << path.error().why;
    EXPECT_EQ(path->pdb.id.guid.hex_upper(), kGuid) << id;
    EXPECT_EQ(path->pdb.id.age, 1u);
  }
}

TEST(SymcachePath, Forms) {  // numbers: rows of the decision table in docs/protocols/symcache-http.md
  struct Row {
    std::string_view path;
    unsigned status;
    std::uint32_t age;
    std::string_view name;
  };
  const Row rows[] = {
      {"/v1.0.0/a.pdb/G", 200, 1, "a.pdb"},
      {"/v1.0.0/a.pdb/G/", 200, 1, "a.pdb"},
      {"/v1.0.0/a.pdb/G/1", 200, 1, "a.pdb"},
      {"/v1.0.0/a.pdb/G/1/", 200, 1, "a.pdb"},
      {"/v1.0.0/a.pdb/G/0", 200, 0, "a.pdb"},
      {"/v1.0.0/a.pdb/G/005", 200, 5, "a.pdb"},
      {"/v1.0.0/a.pdb/G/26", 200, 26, "a.pdb"},
      {"/v1.0.0/a.pdb/G/4294967295", 200, 0xffffffff, "a.pdb"},
      {"/v1.0.0/a.pdb/G/4294967296", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/99999999999999999999999", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/-1", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/+5", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/%205", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/5%20", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/1.5", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/0x1", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/abc", 404, 0, ""},
      {"/v1.0.0/a.pdb/G/1/more", 404, 0, ""},
      {"/v1.0.0/a.pdb/G//", 404, 0, ""},
      {"/v1.0.0/a.pdb/3249D99D0C4049318610F4E4FB0B693", 404, 0, ""},
      {"/v1.0.0/a.pdb/3249D99D0C4049318610F4E4FB0B69360", 404, 0, ""},
      {"/v1.0.0/a.pdb/g249D99D0C4049318610F4E4FB0B6936", 404, 0, ""},
      {"/v1.0.0/a.pdb/", 404, 0, ""},
      {"/v1.0.0/a.pdb", 404, 0, ""},
      {"/", 404, 0, ""},
      {"/V1.0.0/a.pdb/G", 200, 1, "a.pdb"},
      {"/v01.0.00/a.pdb/G", 200, 1, "a.pdb"},
      {"/v70000.300.4294967295/a.pdb/G", 200, 1, "a.pdb"},
      {"/v1.0.4294967296/a.pdb/G", 404, 0, ""},
      {"/v1.0/a.pdb/G", 404, 0, ""},
      {"/v1.0.0.0/a.pdb/G", 404, 0, ""},
      {"/1.0.0/a.pdb/G", 404, 0, ""},
      {"/v+1.0.0/a.pdb/G", 404, 0, ""},
      {"/v1.-0.0/a.pdb/G", 404, 0, ""},
      {"/v1.0.0/a%20b%2B+~('.pdb/G", 200, 1, "a b++~('.pdb"},
      {"/v1.0.0/%C3%A9.pdb/G", 200, 1, "\xc3\xa9.pdb"},
      {"/v1.0.0/%252E%252E/G", 200, 1, "%2E%2E"},
      {"/v1.0.0/a.pdb/G?x=/../y", 200, 1, "a.pdb"},
      {"http://other/v1.0.0/a.pdb/G", 200, 1, "a.pdb"},
      {"/v1.0.0/%FF.pdb/G", 400, 0, ""},
      {"/v1.0.0/a%zz/G", 400, 0, ""},
      {"/v1.0.0/a%2Fb/G", 400, 0, ""},
      {"/v1.0.0/..%5Ca/G", 400, 0, ""},
      {"/v1.0.0/a\\b/G", 400, 0, ""},
      {"/v1.0.0/C%3A/G", 400, 0, ""},
      {"/v1.0.0/a%00b/G", 400, 0, ""},
      {"/v1.0.0/a%0Ab/G", 400, 0, ""},
      {"/v1.0.0/a*/G", 400, 0, ""},
      {"/v1.0.0/%2E%2E/G", 400, 0, ""},
      {"/v1.0.0/%2E/G", 400, 0, ""},
      {"/v1.0.0/.temp/G", 400, 0, ""},
      {"/v1.0.0/a./G", 400, 0, ""},
      {"/v1.0.0/a%20/G", 400, 0, ""},
      {"/v1.0.0//G", 400, 0, ""},
      {"/v1.0.0/../x", 404, 0, ""},
  };
  for (const Row& r : rows) {
    std::string text(r.path);
    if (const auto at = text.find("/G"); at != std::string::npos) text.replace(at + 1, 1, kGuid);
    const auto path = parse(text);
    ASSERT_EQ(path ? 200 : path.error().status, r.status) << text;
    if (!path) continue;
    EXPECT_EQ(path->pdb.id.age, r.age) << text;
    EXPECT_EQ(path->pdb.pdb_name, r.name) << text;
  }
}

TEST(SymcacheConditions, IfVersionExceeds) {
  struct Row {
    std::string_view why;
    http::Headers headers;
    unsigned status;
  };
  const Row rows[] = {
      {"none", {}, 200},
      {"below", {{"If-Version-Exceeds", "3.1.0"}}, 200},
      {"blanks around", {{"if-version-exceeds", " 3.1.0 "}}, 200},
      {"equal", {{"If-Version-Exceeds", "3.2.0"}}, 400},
      {"above", {{"If-Version-Exceeds", "3.2.1"}}, 400},
      {"word", {{"If-Version-Exceeds", "abc"}}, 400},
      {"two parts", {{"If-Version-Exceeds", "3.1"}}, 400},
      {"four parts", {{"If-Version-Exceeds", "3.1.0.0"}}, 400},
      {"empty", {{"If-Version-Exceeds", " "}}, 400},
      {"too large", {{"If-Version-Exceeds", "99999999999.0.0"}}, 400},
      {"pre-release", {{"If-Version-Exceeds", "3.1.0-rc1"}}, 400},
      {"with v", {{"If-Version-Exceeds", "v3.1.0"}}, 400},
      {"major 0", {{"If-Version-Exceeds", "0.9.0"}}, 400},
      {"list", {{"If-Version-Exceeds", "3.1.0, 3.1.1"}}, 400},
      {"two lines", {{"If-Version-Exceeds", "3.1.0"}, {"If-Version-Exceeds", "3.1.0"}}, 400},
  };
  for (const Row& r : rows) {
    const auto conditions = parse_symcache_conditions({"GET", "/", r.headers}, {3, 2, 0});
    EXPECT_EQ(conditions ? 200 : conditions.error().status, r.status) << r.why;
  }
}

TEST(SymcacheConditions, RetryHeaderHasTwoNames) {
  struct Row {
    http::Headers headers;
    bool want;
  };
  const Row rows[] = {
      {{}, false},
      {{{"Allow-Retry-After", "true"}}, true},
      {{{"accept-retry-after", " TRUE "}}, true},
      {{{"Allow-Retry-After", "false"}}, false},
      {{{"Allow-Retry-After", "1"}}, false},
      {{{"Allow-Retry-After", "no"}, {"Accept-Retry-After", "True"}}, true},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_symcache_conditions({"GET", "/", r.headers}, {1, 0, 0})->may_retry, r.want);
}

}  // namespace
}  // namespace symcached::api
