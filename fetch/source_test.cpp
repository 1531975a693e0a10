#include "fetch/source.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testing/server/fake_upstream.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using FolderSourceTest = SourceTest;
using HttpSourceTest = SourceTest;

TEST_F(FolderSourceTest, FindsEachSpellingWhereItLies) {
  const std::string lower_guid = "3249d99d0c4049318610f4e4fb0b6936";
  struct Row {
    std::string_view why;
    std::string path;
    bool two_tiers;
  };
  const Row rows[] = {
      {"as given", kPath, false},
      {"all lower", "crash.pdb/" + lower_guid + "1a/crash.pdb", false},
      {"upper age", "Crash.pdb/" + std::string(kGuid) + "1A/Crash.pdb", false},
      {"two tiers", "Cr/" + kPath, true},
  };
  for (const Row& r : rows) {
    const TempFolder folder;
    folder.write(r.path, fake_pdb("x"));
    if (r.two_tiers) folder.write("index2.txt", "");
    EXPECT_EQ(ask(folder.path().string()), "found " + fake_pdb("x")) << r.why;
  }
  EXPECT_FALSE(std::filesystem::exists(cache_.path() / "objects")) << "a plain file is used where it lies";
}

TEST_F(FolderSourceTest, SaysWhatIsWrong) {
  struct Row {
    std::string_view why;
    std::string content;
    std::string_view want;
  };
  const Row rows[] = {
      {"web page", "<!DOCTYPE html>", "refused"},
      {"empty", "", "not whole"},
      {"cut cabinet", {"MSCF\0\0\0\0", 8}, "refused"},
      {"something else", "ELF", ": unrecognized format; expected a native PDB"},
  };
  for (const Row& r : rows) {
    folder_.write(kPath, r.content);
    EXPECT_THAT(ask(folder_.path().string()), HasSubstr(r.want)) << r.why;
  }
}

TEST_F(FolderSourceTest, AMissIsAMissAndALostFolderIsNot) {
  auto source = make_source(folder_.path().string(), objects_, client_);
  ASSERT_TRUE(source);
  EXPECT_EQ(describe(run_task((*source)->open(kWanted))), "not there");
  std::filesystem::remove_all(folder_.path());
  EXPECT_THAT(describe(run_task((*source)->open(kWanted))), HasSubstr("transient"));
}

TEST_F(FolderSourceTest, UnpacksACabinetOnce) {
  const auto cabinet = make_cabinet(cache_, {fake_pdb("packed")});
  if (!cabinet) GTEST_SKIP() << "gcab is not installed";
  folder_.write(kPackedPath, *cabinet);
  EXPECT_EQ(ask(folder_.path().string()), "found " + fake_pdb("packed"));
  EXPECT_EQ(ask(folder_.path().string()), "found " + fake_pdb("packed"));
  EXPECT_TRUE(std::filesystem::exists(cache_.path() / "objects"));
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(FolderSourceTest, UnpacksACabinetAgainWhenItChanged) {
  for (const std::string content : {"first", "the second", "third"}) {
    const auto cabinet = make_cabinet(cache_, {fake_pdb(content)});
    ASSERT_TRUE(cabinet) << "gcab is not installed";
    folder_.write(kPackedPath, *cabinet);
    EXPECT_EQ(ask(folder_.path().string()), "found " + fake_pdb(content));
  }
}

TEST_F(HttpSourceTest, DownloadsOnceAndKeeps) {
  FakeUpstream upstream;
  upstream.put("/store/" + kPath, body(fake_pdb("http")));
  EXPECT_EQ(ask(upstream.url() + "/store/"), "found " + fake_pdb("http"));
  EXPECT_THAT(upstream.asked(), ElementsAre("/store/index2.txt", "/store/" + kPath));
  EXPECT_EQ(upstream.user_agent(), "Test/1");
  EXPECT_EQ(ask(upstream.url() + "/store"), "found " + fake_pdb("http"));
  EXPECT_EQ(upstream.asked().size(), 2u) << "the second time it comes from the cache";
}

TEST_F(HttpSourceTest, ProbesTheTiersOnce) {
  FakeUpstream upstream;
  upstream.put("/index2.txt", body("", "text/plain"));
  upstream.put("/Cr/" + kPath, body(fake_pdb("two")));
  EXPECT_EQ(ask(upstream.url()), "found " + fake_pdb("two"));
}

TEST_F(HttpSourceTest, FindsTheCabinet) {
  const auto cabinet = make_cabinet(folder_, {fake_pdb("packed")});
  if (!cabinet) GTEST_SKIP() << "gcab is not installed";
  FakeUpstream upstream;
  upstream.put("/" + kPackedPath, body(*cabinet));
  EXPECT_EQ(ask(upstream.url()), "found " + fake_pdb("packed"));
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(HttpSourceTest, AsksEverySpellingBeforeItSaysNo) {
  FakeUpstream upstream;
  EXPECT_EQ(ask(upstream.url()), "not there");
  EXPECT_EQ(upstream.asked().size(), 7u) << "index2.txt and three spellings in two packings";
  upstream.answer_all_with(http::text(410, "gone"));
  EXPECT_EQ(ask(upstream.url()), "not there");
}

TEST_F(HttpSourceTest, JudgesAnswers) {
  folder_.write("short", fake_pdb("short"));
  const auto file =
      std::make_shared<const Descriptor>(::open((folder_.path() / "short").c_str(), O_RDONLY | O_CLOEXEC));
  struct Row {
    std::string_view why;
    http::Response answer;
    std::string_view want;
  };
  const Row rows[] = {
      {"forbidden", http::text(403, "no"), "transient"},
      {"unauthorized", http::text(401, "no"), "transient"},
      {"too many", http::text(429, "no"), "HTTP status 429"},
      {"server fault", http::text(503, "no"), "HTTP status 503"},
      {"login page by type", body("whatever", "text/html; charset=utf-8"), "a web page"},
      {"login page by content", body(" \r\n<!DOCTYPE html>"), "a web page"},
      {"login page with 203", {203, {}, "<html>"}, "HTTP status 203"},
      {"another format", body("PK\3\4"), "refused"},
      {"empty body", body(""), "an empty file"},
      {"larger than allowed", body(fake_pdb(std::string(200'000, 'x'))), "larger than the limit of 100000 bytes"},
      {"shorter than it said", {200, {}, http::FileSlice{file, 0, 50'000}}, "not whole"},
      {"redirect to a file", {302, {{"Location", "file:///etc/passwd"}}, ""}, "transient"},
      {"redirect without end", {302, {{"Location", "/again"}}, ""}, "redirects"},
  };
  for (const Row& r : rows) {
    FakeUpstream upstream;
    upstream.put("/index2.txt", http::text(404, "no"));
    upstream.answer_all_with(r.answer);
    EXPECT_THAT(ask(upstream.url()), HasSubstr(r.want)) << r.why;
    EXPECT_EQ(left_over(), 0u) << r.why;
  }
}

TEST_F(HttpSourceTest, FollowsARedirect) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, {302, {{"Location", "/blob"}}, ""});
  upstream.put("/blob", body(fake_pdb("blob")));
  EXPECT_EQ(ask(upstream.url()), "found " + fake_pdb("blob"));
}

TEST_F(HttpSourceTest, A403InOnePlaceDoesNotHideTheOthers) {
  FakeUpstream upstream;
  upstream.answer_all_with(http::text(403, "no such key, or no right to list"));
  upstream.put("/crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pdb", body(fake_pdb("lower")));
  EXPECT_EQ(ask(upstream.url()), "found " + fake_pdb("lower"));
}

TEST_F(HttpSourceTest, NobodyListeningIsATransientError) {
  std::string url;
  {
    const FakeUpstream gone;
    url = gone.url();
  }
  EXPECT_THAT(ask(url), HasSubstr("transient"));
}

TEST_F(HttpSourceTest, AStoppedClientAnswersAtOnce) {
  client_.stop();
  EXPECT_THAT(ask("http://127.0.0.1:1"), HasSubstr("shutting down"));
}

TEST_F(HttpSourceTest, AsksTheSpellingThatWorkedLastFirst) {
  FakeUpstream upstream;
  const std::string lower = "3249d99d0c4049318610f4e4fb0b6936";
  upstream.put("/one.pdb/" + lower + "1a/one.pdb", body(fake_pdb("one")));
  upstream.put("/two.pdb/" + lower + "1a/two.pdb", body(fake_pdb("two")));
  const auto asked = source(upstream.url());
  EXPECT_EQ(describe(run_task(asked->open(wanted_pdb("one.pdb")))), "found " + fake_pdb("one"));
  const std::size_t before = upstream.asked().size();
  EXPECT_EQ(describe(run_task(asked->open(wanted_pdb("two.pdb")))), "found " + fake_pdb("two"));
  EXPECT_EQ(upstream.asked().size(), before + 1);
}

TEST_F(HttpSourceTest, AsksByItsLayoutAndFilters) {
  FakeUpstream upstream;
  struct Row {
    std::string_view why;
    sources::SourceConfig config;
    std::vector<std::string> want;
  };
  const std::string place = "crash.pdb/" + std::string(kGuid) + "1a/crash.pd";
  const Row rows[] = {
      {"one tier, so no probe",
       {.layout = sources::Layout::symstore, .probing = sources::Probing::first},
       {"/" + place + "b", "/" + place + "_"}},
      {"in upper case",
       {.layout = sources::Layout::flat, .casing = sources::Casing::upper},
       {"/CRASH.PDB", "/CRASH.PD_"}},
      {"no place for it", {.layout = sources::Layout::debuginfod}, {}},
      {"filtered", {.filters = {.file_types = {sources::FileType::pe}}}, {}},
  };
  for (const Row& r : rows) {
    sources::SourceConfig config = r.config;
    config.location = sources::HttpPlace{.url = upstream.url()};
    const std::size_t before = upstream.asked().size();
    const auto asked = make_source(config, objects_, client_);
    ASSERT_TRUE(asked) << r.why << ": " << asked.error();
    EXPECT_EQ(describe(run_task((*asked)->open(wanted_pdb("crash.pdb")))), "not there") << r.why;
    const auto all = upstream.asked();
    EXPECT_EQ(std::vector(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()), r.want) << r.why;
  }
}

TEST_F(HttpSourceTest, SendsWhatItIsToldTo) {
  FakeUpstream upstream;
  sources::SourceConfig config{.layout = sources::Layout::flat};
  const auto ask_with = [&](sources::HttpPlace place) {
    place.url = upstream.url() + "/a%20b";
    config.location = place;
    auto made = make_source(config, objects_, client_);
    if (!made) return made.error();
    return describe(run_task((*made)->open(wanted_pdb("odd name%.pdb"))));
  };
  EXPECT_EQ(ask_with({.headers = {{"X-One", "1"}}, .user = "me", .password = "p:w"}), "not there");
  EXPECT_EQ(upstream.header("X-One"), "1");
  EXPECT_EQ(upstream.header("Authorization"), "Basic bWU6cDp3");
  EXPECT_EQ(upstream.asked().front(), "/a%20b/odd%20name%25.pdb");
  EXPECT_EQ(ask_with({.bearer_token = "token"}), "not there");
  EXPECT_EQ(upstream.header("Authorization"), "Bearer token");
  EXPECT_THAT(ask_with({.user = "me", .bearer_token = "token"}), HasSubstr("give one"));
  EXPECT_THAT(ask_with({.headers = {{"X Y", "1"}}}), HasSubstr("no name of a header"));
  EXPECT_THAT(ask_with({.headers = {{"X", "1\r\nsecret"}}}),
              AllOf(HasSubstr("control characters"), Not(HasSubstr("secret"))));
}

TEST_F(SourceTest, PointersAreFollowedWhereTheOperatorSaysTheyLead) {
  const TempFolder share;
  share.write("builds/crash.pdb", fake_pdb("share"));
  const std::string pointer = "crash.pdb/" + std::string(kGuid) + "1a/file.ptr";
  const sources::PathMap map = {{"\\\\server\\share", share.path().string()}};
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"PATH:\\\\server\\share\\builds\\crash.pdb\r\n", "found "},
      {"PATH:\\\\server\\share\\gone.pdb", "not there"},
      {"kept\\crash.pdb", "found "},
      {"MSG: no", "not there"},
      {"PATH:/etc/passwd", "refused "},
      {"PATH:\\\\other\\share\\crash.pdb", "refused "},
  };
  folder_.write("kept/crash.pdb", fake_pdb("kept"));
  for (const Row& r : rows) {
    FakeUpstream upstream;
    upstream.put("/" + pointer, body(std::string(r.text), "text/plain"));
    upstream.put("/kept/crash.pdb", body(fake_pdb("kept")));
    folder_.write(pointer, r.text);
    for (const sources::Location& place : {sources::Location(sources::HttpPlace{.url = upstream.url()}),
                                           sources::Location(sources::FolderPlace{folder_.path().string()})}) {
      sources::SourceConfig config{.location = place, .layout = sources::Layout::symstore, .path_map = map};
      const auto asked = make_source(config, objects_, client_);
      ASSERT_TRUE(asked) << asked.error();
      EXPECT_THAT(describe(run_task((*asked)->open(wanted_pdb("crash.pdb")))),
                  ::testing::StartsWith(std::string(r.want)))
          << r.text;
      objects_.forget(wanted_pdb("crash.pdb"));
    }
  }
}

TEST_F(SourceTest, FilesBelongToTheScopeThatMaySeeTheSource) {
  FakeUpstream upstream;
  upstream.put("/crash.pdb", body(fake_pdb("x")));
  const auto ask_as = [&](const std::string& scope, bool is_public) {
    sources::SourceConfig config{
        .location = sources::HttpPlace{.url = upstream.url()}, .is_public = is_public, .layout = sources::Layout::flat};
    Wanted wanted = wanted_pdb("crash.pdb");
    wanted.scope = scope;
    const auto asked = make_source(config, objects_, client_);
    EXPECT_EQ(describe(run_task((*asked)->open(wanted))), "found " + fake_pdb("x"));
    return upstream.asked().size();
  };
  EXPECT_EQ(ask_as("one", false), 1u);
  EXPECT_EQ(ask_as("one", false), 1u) << "from its scope";
  EXPECT_EQ(ask_as("two", false), 2u) << "another scope sees nothing of it";
  EXPECT_EQ(ask_as("three", true), 3u);
  EXPECT_EQ(ask_as("four", false), 3u) << "what is public serves all";
}

TEST_F(SourceTest, APublicSourceHasNothingOfWhatAScopeKeeps) {
  FakeUpstream lacking, having;
  having.put("/crash.pdb", body(fake_pdb("secret")));
  const auto ask = [&](const FakeUpstream& upstream, bool is_public) {
    sources::SourceConfig config{
        .location = sources::HttpPlace{.url = upstream.url()}, .is_public = is_public, .layout = sources::Layout::flat};
    Wanted wanted = wanted_pdb("crash.pdb");
    wanted.scope = "one";
    const auto asked = make_source(config, objects_, client_);
    return describe(run_task((*asked)->open(wanted)));
  };
  EXPECT_EQ(ask(having, false), "found " + fake_pdb("secret"));
  EXPECT_EQ(ask(lacking, true), "not there") << "what is made of it would be for all to see";
  EXPECT_EQ(ask(lacking, false), "found " + fake_pdb("secret"));
}

TEST_F(SourceTest, WhatIsWantedAtHandIsAskedOfNoServer) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, body(fake_pdb("x")));
  folder_.write(kPath, fake_pdb("y"));
  Wanted at_hand = kWanted;
  at_hand.at_hand = true;
  const auto ask_for = [&](const Wanted& wanted, const std::string& place) {
    const auto asked = make_source(place, objects_, client_);
    return describe(run_task((*asked)->open(wanted)));
  };
  EXPECT_EQ(ask_for(at_hand, upstream.url()), "not there");
  EXPECT_TRUE(upstream.asked().empty());
  EXPECT_EQ(ask_for(kWanted, upstream.url()), "found " + fake_pdb("x"));
  const std::size_t asked = upstream.asked().size();
  EXPECT_EQ(ask_for(at_hand, upstream.url()), "found " + fake_pdb("x"));
  EXPECT_EQ(upstream.asked().size(), asked);
  EXPECT_EQ(ask_for(at_hand, folder_.path().string()), "found " + fake_pdb("y"));
}

TEST_F(SourceTest, AFileOfTwoSourcesIsKeptOnce) {
  FakeUpstream first, second;
  first.put("/" + kPath, body(fake_pdb("x")));
  second.put("/" + kPath, body(fake_pdb("x")));
  EXPECT_EQ(ask(first.url()), "found " + fake_pdb("x"));
  EXPECT_EQ(ask(second.url()), "found " + fake_pdb("x"));
  EXPECT_TRUE(second.asked().empty());
}

TEST_F(SourceTest, SaysWhatIsWrongWithTheText) {
  struct Row {
    std::string_view text;
    std::string_view want;
  };
  const Row rows[] = {
      {"/no/such/folder", "not a directory"},
      {"ftp://host/x", "scheme ftp is not supported"},
      {"http://", "unusable URL"},
      {"http://host/?q", "a query"},
      {"http://host/#f", "a fragment"},
  };
  for (const Row& r : rows) {
    const auto source = make_source(r.text, objects_, client_);
    ASSERT_FALSE(source) << r.text;
    EXPECT_THAT(source.error(), HasSubstr(r.want));
  }
  const auto secret = make_source("https://user:pat@host/store/", objects_, client_);
  ASSERT_TRUE(secret);
  EXPECT_EQ((*secret)->name(), "https://host/store");
}

}  // namespace
}  // namespace symcached::fetch
