#include "wpt/path.hpp"

#include <gmock/gmock.h>

namespace symcached::wpt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The directory, then "server https://host" or "folder /far", with "into" and the alternates that keep it as well.
std::vector<std::string> told(const SymcachePath& path) {
  std::vector<std::string> all = {path.directory};
  for (const Alternate& a : path.alternates) {
    all.push_back((a.is_server ? "server " : "folder ") + a.place);
    for (const std::size_t keeper : a.kept_in) all.back() += " into " + path.alternates.at(keeper).place;
  }
  return all;
}

TEST(SymcachePath, TheFirstFolderKeepsThem) {
  struct Row {
    std::string_view text;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"", {""}},
      {" ; **;", {""}},
      {"/symcache", {"/symcache"}},
      {"/symcache*https://host", {"/symcache", "server https://host"}},
      {" /symcache * HTTPS://host/team/x ", {"/symcache", "server HTTPS://host/team/x"}},
      {"/near*/far*https://host", {"/near", "folder /far", "server https://host into /far"}},
      {"/near;/far;https://host", {"/near", "folder /far", "server https://host"}},
      {"https://host*/symcache", {"/symcache", "server https://host"}},
      {"https://user:secret@host", {"", "server https://user:secret@host"}},
      {"SRV*/symcache*https://host", {"/symcache", "server https://host"}},
      {"symsrv*SymSrv.dll*/symcache*https://host", {"/symcache", "server https://host"}},
      {"cache*/symcache;srv*https://host", {"/symcache", "server https://host"}},
      {"srv", {"srv"}},
      {"/a*/a*https://h;https://h", {"/a", "server https://h"}},
  };
  for (const Row& r : rows) {
    const SymcachePath path = parse_symcache_path(r.text);
    EXPECT_EQ(told(path), r.want) << r.text;
    EXPECT_THAT(path.warnings, IsEmpty()) << r.text;
  }
}

TEST(SymcachePath, WhatIsFoundIsKeptInTheCachesLeftOfIt) {
  struct Row {
    std::string_view text;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"/d*/a*/b*https://h", {"/d", "folder /a", "folder /b into /a", "server https://h into /a into /b"}},
      {"/d;srv*/a*https://h", {"/d", "folder /a", "server https://h into /a"}},
      {"/d;srv*/a*https://h;srv*/b*https://i",
       {"/d", "folder /a", "server https://h into /a", "folder /b", "server https://i into /b"}},
      {"/d;/a;https://h", {"/d", "folder /a", "server https://h"}},
      {"/d;cache*/a;/b;https://h", {"/d", "folder /a", "folder /b into /a", "server https://h into /a"}},
      {"/d;https://h;cache*/a;https://i", {"/d", "server https://h", "folder /a", "server https://i into /a"}},
      {"/d;cache*/a*https://h;srv*/b*https://i",
       {"/d", "folder /a", "server https://h into /a", "folder /b into /a", "server https://i into /a into /b"}},
      {"/d*/a*https://h;/d*/a*https://i", {"/d", "folder /a", "server https://h into /a", "server https://i into /a"}},
      {"/d*/a*/a*https://h", {"/d", "folder /a", "server https://h into /a"}},
      {"/d*https://h*/a", {"/d", "server https://h", "folder /a"}},
  };
  for (const Row& r : rows) EXPECT_EQ(told(parse_symcache_path(r.text)), r.want) << r.text;
}

TEST(SymcachePath, DrivesAndSharesLeadWhereTheMapSays) {
  const sources::PathMap map = {{"C:", "/c"}, {"\\\\server\\share", "/mnt/share"}};
  EXPECT_THAT(told(parse_symcache_path("c:\\SymCache*\\\\Server\\share\\x*https://host", map)),
              ElementsAre("/c/SymCache", "folder /mnt/share/x", "server https://host into /mnt/share/x"));
}

TEST(SymcachePath, SaysWhatItCannotUse) {
  EXPECT_THAT(parse_symcache_path("C:\\SymCache*https://host").warnings,
              ElementsAre(HasSubstr("is a path of Windows")));
  EXPECT_THAT(parse_symcache_path("%TEMP%\\x").warnings, ElementsAre(HasSubstr("has a variable of Windows")));
  EXPECT_THAT(parse_symcache_path("symsrv*other.dll*/a").warnings,
              ElementsAre(HasSubstr("\"other.dll\" is a provider")));
  EXPECT_THAT(parse_symcache_path("ftp://me:secret@host").warnings,
              ElementsAre(HasSubstr("\"ftp://host\" is no folder")));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "/folder" + std::to_string(i) + "*";
  EXPECT_EQ(parse_symcache_path(many).alternates.size(), kMaxAlternates);
}

}  // namespace
}  // namespace symcached::wpt
