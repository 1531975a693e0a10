#include "sources/symbol_path.hpp"

#include <gmock/gmock.h>

namespace symcached::sources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// "folder …" or "http …"
std::vector<std::string> places(const SymbolPath& path) {
  std::vector<std::string> all;
  for (const SourceConfig& source : path.sources) {
    if (const auto* folder = std::get_if<FolderPlace>(&source.location)) all.push_back("folder " + folder->path);
    if (const auto* server = std::get_if<HttpPlace>(&source.location)) all.push_back("http " + server->url);
  }
  return all;
}

TEST(SymbolPath, IsWalkedFromLeftToRight) {
  struct Row {
    std::string_view text;
    std::vector<std::string> sources, caches;
  };
  const Row rows[] = {
      {"", {}, {}},
      {";;  ;", {}, {}},
      {"/symbols", {"folder /symbols"}, {}},
      {"https://host/store", {"http https://host/store"}, {}},
      {"srv*https://host/store", {"http https://host/store"}, {}},
      {"srv*", {}, {}},
      {"SRV**https://host/store", {"http https://host/store"}, {}},
      {"srv*/cache*https://host/store", {"folder /cache", "http https://host/store"}, {"/cache"}},
      {"srv*/near*/far*https://host", {"folder /near", "folder /far", "http https://host"}, {"/near", "/far"}},
      {"srv*/only", {"folder /only"}, {}},
      {"SymSrv*SymSrv.dll*/cache*https://host", {"folder /cache", "http https://host"}, {"/cache"}},
      {"cache*/c;srv*https://host", {"folder /c", "http https://host"}, {"/c"}},
      {"cache*", {}, {}},
      {" /a ; /b ;/a", {"folder /a", "folder /b"}, {}},
      {"relative/folder", {"folder relative/folder"}, {}},
  };
  for (const Row& r : rows) {
    const SymbolPath path = parse_symbol_path(r.text);
    EXPECT_EQ(places(path), r.sources) << r.text;
    EXPECT_EQ(path.caches, r.caches) << r.text;
    EXPECT_THAT(path.warnings, IsEmpty()) << r.text;
  }
}

TEST(SymbolPath, SaysWhatItCannotUse) {
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"C:\\symbols", "is a path of Windows"},
      {"srv*\\\\server\\share", "is a path of Windows"},
      {"symsrv*other.dll*x", "\"other.dll\" is a provider that only Windows can load"},
      {"symsrv*", "only Windows can load"},
      {"srv*https://user:pat@first*https://last", "\"https://first\" is not the last store"},
      {"%TEMP%/symbols", "has a variable of Windows"},
      {"ftp://host/x", "no folder and no http"},
      {"/a*/b", "begins with no word of the grammar"},
      {"cache*https://host", "no folder to keep files in"},
  };
  for (const Row& r : rows) EXPECT_THAT(parse_symbol_path(r.text).warnings, ElementsAre(HasSubstr(r.want))) << r.text;
  const SymbolPath secret = parse_symbol_path("srv*https://user:pat@host/store");
  EXPECT_EQ(secret.sources.at(0).id, "https://host/store");
  EXPECT_THAT(places(secret), ElementsAre("http https://user:pat@host/store"));
}

TEST(SymbolPath, DrivesAndSharesLeadWhereTheMapSays) {
  const PathMap map = {
      {"\\\\server\\share", "/mnt/share"}, {"\\\\server\\share\\web", "https://web/x"}, {"C:\\Symbols", "/symbols"}};
  const SymbolPath path =
      parse_symbol_path("srv*c:/symbols/near*\\\\SERVER\\Share\\far\\x;//server/share/web/y;\\\\server\\shares", map);
  EXPECT_THAT(places(path), ElementsAre("folder /symbols/near", "folder /mnt/share/far/x", "http https://web/x/y"));
  EXPECT_THAT(path.caches, ElementsAre("/symbols/near"));
  EXPECT_THAT(path.warnings, ElementsAre(HasSubstr("shares")));
  EXPECT_THAT(parse_symbol_path("\\\\server\\share\\..\\other", map).sources, IsEmpty());
}

TEST(SymbolPath, HasABound) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "/folder" + std::to_string(i) + ";";
  EXPECT_EQ(parse_symbol_path(many).sources.size(), kMaxPathSources);
}

TEST(DebuginfodUrls, AreServersOfBuildIds) {
  const SymbolPath path = parse_debuginfod_urls(
      " https://one/  ima:enforcing https://two/x\thttps://three/buildid/ https://one file:///srv/ids ftp://no");
  EXPECT_THAT(places(path), ElementsAre("http https://one/buildid", "http https://two/x/buildid",
                                        "http https://three/buildid", "folder /srv/ids/buildid"));
  for (const SourceConfig& source : path.sources) EXPECT_EQ(source.layout, Layout::debuginfod);
  EXPECT_THAT(path.warnings, ElementsAre(HasSubstr("ftp://no")));
}

TEST(TidyRelative, NeverLeadsUp) {
  struct Row {
    std::string_view path;
    std::optional<std::string> want;
  };
  const Row rows[] = {
      {"a/b", "a/b"},       {"a\\b//c/", "a/b/c"},     {"./a/../b", "b"},      {"", ""},
      {"..", std::nullopt}, {"a/../..", std::nullopt}, {"a\nb", std::nullopt}, {"c:x", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(tidy_relative(r.path), r.want) << r.path;
}

}  // namespace
}  // namespace symcached::sources
