#include "client/symcache_client.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "testing/server/client_fixture.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SymcacheClientTest, KeepsWhatComesAndNothingElse) {
  const std::string file = sample(30'000);
  const Fault being_made{.status = 404, .headers = {"Retry-After: 1"}};
  struct Row {
    std::string_view why;
    std::vector<Fault> faults;
    std::string type;
    std::string_view want;
    std::size_t requests;
  };
  const std::string html = "Content-Type: text/html; charset=utf-8", bytes = "Content-Type: application/octet-stream";
  const Row rows[] = {
      {"200", {}, kTheirs, "kept 3.1.0", 1},
      {"a version of its own", {{.headers = {"X: y"}}}, kTheirs + "; version=3.2.7", "kept 3.2.7", 1},
      {"a lower one", {}, kTheirs + "; version=\"3.0.0\"", "kept 3.0.0", 1},
      {"404 for good", {{.status = 404}}, kTheirs, "not there", 1},
      {"410", {{.status = 410}}, kTheirs, "not there", 1},
      {"being made, then there", {being_made, being_made}, kTheirs, "kept 3.1.0", 3},
      {"being made, then not there", {being_made, {.status = 404}}, kTheirs, "not there", 2},
      {"reset before the head", {{.reset_before_head = true}}, kTheirs, "kept 3.1.0", 2},
      {"short body, resumed", {{.close_at = 10'000}}, kTheirs, "kept 3.1.0", 2},
      {"reset in the body, resumed", {{.reset_at = 10'000}}, kTheirs, "kept 3.1.0", 2},
      {"silent in the body, asked again", {{.silent_at = 10'000}}, kTheirs, "kept 3.1.0", 2},
      {"always short", std::vector<Fault>(9, {.close_at = 100}), kTheirs, "failed: ", 3},
      {"busy for long", {{.status = 503, .headers = {"Retry-After: 20"}}}, kTheirs, "kept 3.1.0", 2},
      {"busy for too long", {{.status = 429, .headers = {"Retry-After: 600"}}}, kTheirs, "unfinished: ", 1},
      {"500 for ever", std::vector<Fault>(9, {.status = 500}), kTheirs, "failed: ", 3},
      {"400 says why", {{.status = 400}}, kTheirs, "HTTP status 400 (an error)", 1},
      {"401", {{.status = 401}}, kTheirs, "wants credentials", 1},
      {"403", {{.status = 403}}, kTheirs, "does not give", 1},
      {"304 unasked", {{.status = 304}}, kTheirs, "was not asked for that", 1},
      {"a login page", {}, html, "a login page most likely", 1},
      {"any file", {}, bytes, "\"application/octet-stream\", which is no symcache", 1},
      {"no type", {}, "X: y", "which is no symcache", 1},
      {"empty", {{.content = ""}}, kTheirs, "an empty file", 1},
      {"a major version above", {}, kTheirs + "; version=4.0.0", "sent version 4.0.0", 1},
      {"a version below all", {}, kTheirs + "; version=2.9.9", "sent version 2.9.9", 1},
      {"the other format",
       {},
       "Content-Type: application/vnd.symcached.symcache; version=2.0.0",
       "ask for version 2.1.0",
       1},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream(file, r.faults, {r.type});
    const Outcome outcome = fetch(upstream.url());
    EXPECT_THAT(told(outcome), HasSubstr(r.want)) << r.why;
    EXPECT_EQ(upstream.requests(), r.requests) << r.why;
    const auto* kept = std::get_if<Kept>(&outcome);
    EXPECT_TRUE(kept == nullptr || content_of(kept->path) == file) << r.why;
    EXPECT_EQ(files_in(folder_.path()).size(), kept != nullptr ? 1u : 0u) << r.why;
    fs::remove_all(folder_.path() / "app.pdb");
    fs::remove_all(folder_.path() / ".symcached/parts");
  }
}

TEST_F(SymcacheClientTest, AsksAsTheProtocolSays) {
  FakeUpstream upstream;
  upstream.put("/team/x" + std::string(kRequest),
               {200, {{"Content-Type", "application/vnd.ms-symcache; version=3.1.0"}}, "the symcache"});
  const Outcome outcome = fetch(upstream.url() + "/team/x/");
  ASSERT_EQ(told(outcome), "kept 3.1.0");
  EXPECT_EQ(std::get<Kept>(outcome).path, fs::canonical(folder_.path()) / kFolder / "app.pdb-v3.1.0.symcache");
  EXPECT_EQ(upstream.header("Allow-Retry-After"), "true");
  EXPECT_EQ(upstream.header("Accept-Retry-After"), "true");
  EXPECT_EQ(upstream.header("If-Version-Exceeds"), "");
  EXPECT_EQ(told(fetch(upstream.url() + "/team/x")), "here 3.1.0");
  EXPECT_EQ(upstream.asked().size(), 1u) << "what is there is not asked for";
}

TEST_F(SymcacheClientTest, WhatIsThereCounts) {
  struct Row {
    std::string_view why;
    std::vector<std::string> here;
    std::string exceeds;  ///< "-": not asked
    Fault answer;
    std::string_view want;
  };
  const Row rows[] = {
      {"the version asked for", {"3.1.0"}, "", {}, "here 3.1.0"},
      {"a better one", {"3.0.0", "3.4.0"}, "", {}, "here 3.4.0"},
      {"a major version above is of no use", {"4.0.0"}, "-", {}, "kept 3.1.0"},
      {"another format, too", {"2.0.0"}, "-", {}, "kept 3.1.0"},
      {"an older one, nothing newer", {"3.0.0", "3.0.9"}, "3.0.9", {.status = 304}, "here 3.0.9"},
      {"an older one, a newer one comes", {"3.0.0"}, "3.0.0", {}, "kept 3.1.0"},
      {"an older one, the PDB is gone", {"3.0.0"}, "3.0.0", {.status = 404}, "here 3.0.0"},
      {"an older one, the server is ill", {"3.0.0"}, "3.0.0", {.status = 403}, "here 3.0.0"},
  };
  for (const Row& r : rows) {
    for (const std::string& version : r.here) put_here(version);
    FaultyUpstream upstream("newer", {r.answer}, {kTheirs});
    EXPECT_EQ(told(fetch(upstream.url())), r.want) << r.why;
    const auto asked = upstream.values("If-Version-Exceeds");
    EXPECT_EQ(asked.empty() ? "" : asked.front(), r.exceeds) << r.why;
    fs::remove_all(folder_.path() / "app.pdb");
  }
}

TEST_F(SymcacheClientTest, SaysWhyNothingNewerWasAskedFor) {
  put_here("3.0.0");
  FaultyUpstream upstream("newer", {{.status = 403}}, {kTheirs});
  EXPECT_THAT(std::get<Kept>(fetch(upstream.url())).warning, HasSubstr(upstream.url() + ": HTTP status 403"));
}

TEST_F(SymcacheClientTest, ResumesTheSameFile) {
  FaultyUpstream upstream(sample(30'000), {{.close_at = 12'000}}, {kTheirs});
  EXPECT_EQ(told(fetch(upstream.url())), "kept 3.1.0");
  EXPECT_THAT(upstream.values("Range"), ElementsAre("-", "bytes=12000-"));
  EXPECT_THAT(upstream.values("If-Range"), ElementsAre("-", "\"one\""));
}

TEST_F(SymcacheClientTest, PollsAsLongAsItsPatienceLasts) {
  struct Row {
    std::string stated;
    std::vector<std::chrono::milliseconds> slept;
  };
  const Row rows[] = {{"0", std::vector<std::chrono::milliseconds>(60, 1s)},
                      {"7", std::vector<std::chrono::milliseconds>(8, 7s)},
                      {"600", {30s, 30s}}};
  for (const Row& r : rows) {
    time_.slept->clear();
    FaultyUpstream upstream("x", std::vector<Fault>(99, {.status = 404, .headers = {"Retry-After: " + r.stated}}));
    EXPECT_THAT(told(fetch(upstream.url())),
                HasSubstr("unfinished: " + upstream.url() + ": the server is still making"))
        << r.stated;
    EXPECT_EQ(*time_.slept, r.slept) << r.stated;
  }
}

TEST_F(SymcacheClientTest, TypeAndVersionMayBeOnEitherSideOfARedirect) {
  const std::string ours = "application/vnd.ms-symcache", versioned = ours + "; version=3.0.5";
  struct Row {
    std::string redirect, target;
    std::string_view want;
  };
  const Row rows[] = {
      {versioned, "application/octet-stream", "kept 3.0.5"},
      {versioned, ours, "kept 3.0.5"},
      {"", versioned, "kept 3.0.5"},
      {"text/html", versioned, "kept 3.0.5"},
      {ours, versioned, "kept 3.0.5"},
      {ours, "binary/octet-stream", "kept 3.1.0"},
      {versioned, "text/html", "a login page most likely"},
      {versioned, "image/png", "which is no symcache"},
      {"", "application/octet-stream", "which is no symcache"},
  };
  for (const bool is_foreign : {false, true})
    for (const Row& r : rows) {
      FakeUpstream server, other;
      FakeUpstream& store = is_foreign ? other : server;
      http::Response redirect{302, {{"Location", store.url() + "/blob"}}, ""};
      if (!r.redirect.empty()) redirect.headers.emplace_back("Content-Type", r.redirect);
      server.put(std::string(kRequest), redirect);
      store.put("/blob", {200, {{"Content-Type", r.target}}, "the symcache"});
      EXPECT_THAT(told(fetch(server.url())), HasSubstr(r.want)) << r.redirect << " -> " << r.target;
      fs::remove_all(folder_.path() / "app.pdb");
    }
}

TEST_F(SymcacheClientTest, CredentialsStayAtTheirOrigin) {
  FakeUpstream server, store;
  server.put(std::string(kRequest), {302, {{"Location", store.url() + "/blob"}}, ""});
  store.put("/blob", {200, {{"Content-Type", "application/vnd.ms-symcache"}}, "the symcache"});
  ClientOptions options{.directory = folder_.path(), .user_agent = "Test/1"};
  options.places.push_back({ServerPlace{{.url = server.url(), .user = "me", .password = "secret"}, {3, 1, 0}}});
  const auto client = SymcacheClient::open(std::move(options));
  EXPECT_EQ(told(run_task((*client)->fetch(kApp))), "kept 3.1.0");
  EXPECT_EQ(server.header("Authorization"), "Basic bWU6c2VjcmV0");
  EXPECT_EQ(store.header("Authorization"), "");
}

TEST_F(SymcacheClientTest, ServersAreAskedInTurn) {
  FaultyUpstream empty("x", {{.status = 404}}), ill("x", {{.status = 403}}), good("the symcache", {}, {kTheirs});
  EXPECT_EQ(told(run_task(client({empty.url(), ill.url(), good.url()})->fetch(kApp))), "kept 3.1.0");
  fs::remove_all(folder_.path() / "app.pdb");
  EXPECT_THAT(told(run_task(client({ill.url(), "http://127.0.0.1:1"})->fetch(kApp))), HasSubstr("failed: "));
  EXPECT_EQ(told(run_task(client({})->fetch(kApp))), "not there");
  put_here("3.1.0");
  EXPECT_EQ(told(run_task(client({})->fetch(kApp))), "here 3.1.0");
}

/// Folders "a" and "b" in turn, then the server; what of all that has the symcache afterwards, and who was asked.
TEST_F(SymcacheClientTest, FoldersAreAskedInTurnAndCachesKeepWhatIsFoundBehindThem) {
  struct Row {
    std::string_view why;
    std::vector<std::size_t> b_into, server_into;
    std::string in_a, in_b;  ///< versions; empty: none
    Fault answer;
    std::string_view want;
    std::vector<std::string> kept;
    std::size_t requests;
  };
  const Row rows[] = {
      {"from the server into all caches", {0}, {0, 1}, "", "", {}, "kept 3.1.0", {"a", "b", "near"}, 1},
      {"into the caches of its chain", {}, {1}, "", "", {}, "kept 3.1.0", {"b", "near"}, 1},
      {"into none but the directory", {}, {}, "", "", {}, "kept 3.1.0", {"near"}, 1},
      {"from the first folder", {0}, {0, 1}, "3.1.0", "", {}, "kept 3.1.0", {"a", "near"}, 0},
      {"from the second folder", {0}, {0, 1}, "", "3.2.0", {}, "kept 3.2.0", {"a", "b", "near"}, 0},
      {"which is no cache's", {}, {}, "", "3.1.0", {}, "kept 3.1.0", {"b", "near"}, 0},
      {"an older one, nothing newer", {0}, {0, 1}, "", "3.0.0", {.status = 304}, "kept 3.0.0", {"a", "b", "near"}, 1},
      {"an older one, the server is ill", {}, {}, "3.0.0", "", {.status = 403}, "kept 3.0.0", {"a", "near"}, 1},
      {"not readable", {0}, {0, 1}, "4.0.0", "2.0.0", {.status = 404}, "not there", {"a", "b"}, 1},
  };
  for (const Row& r : rows) {
    const TempFolder root;
    for (const auto& [folder, version] : {std::pair("a", r.in_a), std::pair("b", r.in_b)}) {
      fs::create_directory(root.path() / folder);
      if (!version.empty())
        root.write(fs::path(folder) / kFolder / ("app.pdb-v" + version + ".symcache"), "of the folder");
    }
    FaultyUpstream upstream("of the server", {r.answer}, {kTheirs});
    ClientOptions options{.directory = root.path() / "near", .patience = 60s, .waits = time_.waits()};
    options.places = {{FolderPlace{root.path() / "a", {3, 1, 0}}},
                      {FolderPlace{root.path() / "b", {3, 1, 0}}, r.b_into},
                      {ServerPlace{{.url = upstream.url()}, {3, 1, 0}}, r.server_into}};
    const auto client = SymcacheClient::open(std::move(options));
    const Outcome outcome = run_task((*client)->fetch(kApp));
    EXPECT_EQ(told(outcome), r.want) << r.why;
    std::vector<std::string> kept;
    for (const std::string folder : {"a", "b", "near"})
      if (!files_in(root.path() / folder).empty()) kept.push_back(folder);
    EXPECT_EQ(kept, r.kept) << r.why;
    EXPECT_EQ(upstream.requests(), r.requests) << r.why;
    const auto* there = std::get_if<Kept>(&outcome);
    if (there == nullptr) continue;
    EXPECT_EQ(content_of(there->path), r.requests == 1 && r.answer.status == 0 ? "of the server" : "of the folder")
        << r.why;
  }
}

TEST_F(SymcacheClientTest, AFolderThatCannotBeUsedIsLeftOut) {
  FaultyUpstream upstream("the symcache", {}, {kTheirs});
  ClientOptions options{.directory = folder_.path() / "near", .waits = time_.waits()};
  folder_.write("file", "x");
  options.places = {{FolderPlace{folder_.path() / "missing", {3, 1, 0}}},
                    {FolderPlace{folder_.path() / "file", {3, 1, 0}}},
                    {FolderPlace{folder_.path() / "file" / "cache", {3, 1, 0}}},
                    {ServerPlace{{.url = upstream.url()}, {3, 1, 0}}, {2}}};
  const auto client = SymcacheClient::open(std::move(options));
  ASSERT_TRUE(client) << client.error();
  EXPECT_THAT((*client)->warnings(),
              ElementsAre(HasSubstr("missing is not looked into: No such file"), HasSubstr("it is no directory"),
                          HasSubstr("cannot be the SymCache directory")));
  EXPECT_EQ(told(run_task((*client)->fetch(kApp))), "kept 3.1.0");
  EXPECT_FALSE(fs::exists(folder_.path() / "missing")) << "only caches are created";
}

TEST_F(SymcacheClientTest, SaysWhichCacheCouldNotKeepIt) {
  FaultyUpstream upstream("the symcache", {}, {kTheirs});
  folder_.write("cache/app.pdb", "a file where a folder has to be");
  ClientOptions options{.directory = folder_.path() / "near", .waits = time_.waits()};
  options.places = {{FolderPlace{folder_.path() / "cache", {3, 1, 0}}},
                    {ServerPlace{{.url = upstream.url()}, {3, 1, 0}}, {0}}};
  const Outcome outcome = run_task((*SymcacheClient::open(std::move(options)))->fetch(kApp));
  EXPECT_EQ(told(outcome), "kept 3.1.0");
  EXPECT_THAT(std::get<Kept>(outcome).warning, HasSubstr("cache: cannot publish a symcache in"));
}

TEST_F(SymcacheClientTest, TwoClientsAtOnceKeepOneFile) {
  const std::string file = sample(300'000);
  FaultyUpstream upstream(file, {}, {kTheirs});
  const auto one = client({upstream.url()}), two = client({upstream.url()});
  Outcome first, second;
  std::thread other([&] { second = run_task(two->fetch(kApp)); });
  first = run_task(one->fetch(kApp));
  other.join();
  for (const Outcome& outcome : {first, second}) EXPECT_EQ(content_of(std::get<Kept>(outcome).path), file);
  EXPECT_EQ(files_in(folder_.path()).size(), 1u);
}

TEST_F(SymcacheClientTest, ManyAtOnceShareConnections) {
  constexpr std::size_t kCount = 200, kMostConnections = 8;
  RawUpstream upstream([](RawPeer& peer, const std::string&) {
    return peer.say("HTTP/1.1 200 OK\r\n" + kTheirs + "\r\nContent-Length: 4\r\n\r\nbody");
  });
  std::vector<SymcacheKey> keys;
  for (std::uint32_t age = 1; age <= kCount; ++age) keys.push_back({"app.pdb", {kApp.id.guid, age}});
  std::atomic<std::size_t> kept = 0;
  client({upstream.url()})->fetch_all(keys, 16, [&](const SymcacheKey&, const Outcome& outcome) {
    kept += std::holds_alternative<Kept>(outcome) ? 1 : 0;
  });
  EXPECT_EQ(kept, kCount);
  EXPECT_EQ(upstream.asked().size(), kCount);
  EXPECT_LE(upstream.most_connections(), 2 * kMostConnections) << "a server may see late that one has ended";
}

TEST_F(SymcacheClientTest, SaysWhatIsWrongWithTheDirectory) {
  FaultyUpstream upstream("the symcache", {}, {kTheirs});
  folder_.write("app.pdb", "a file where a folder has to be");
  EXPECT_THAT(told(fetch(upstream.url())), HasSubstr("failed: cannot publish a symcache in"));
  folder_.write("file", "");
  const auto client = SymcacheClient::open({.directory = folder_.path() / "file"});
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error(), HasSubstr("cannot be the SymCache directory"));
}

TEST_F(SymcacheClientTest, NamesAreChecked) {
  FaultyUpstream upstream("the symcache", {}, {kTheirs});
  const auto one = client({upstream.url()});
  const std::string names[] = {"", "..", ".symcached", "a/..", "a:b", "con\n", std::string(250, 'x')};
  for (const std::string& name : names)
    EXPECT_THAT(told(run_task(one->fetch({name, kApp.id}))), HasSubstr("failed: ")) << name;
  EXPECT_EQ(upstream.requests(), 0u);
  EXPECT_THAT(files_in(folder_.path()), IsEmpty());
  EXPECT_EQ(told(run_task(one->fetch({"C:\\build\\app.pdb", kApp.id}))), "kept 3.1.0");
}

TEST_F(SymcacheClientTest, AnAnswerThatNeverComesIsGivenUp) {
  FaultyUpstream upstream("x", {{.no_answer = true}}, {kTheirs});
  EXPECT_EQ(told(client({upstream.url()})->fetch_within(kApp, 50ms)), "unfinished: not there within 50 ms");
  EXPECT_EQ(told(client({upstream.url()})->fetch_within(kApp, 60s)), "kept 3.1.0");
}

TEST(UsualVersion, IsThatOfTheFormatServedThere) {
  for (const std::string_view url : {"https://host/open", "https://host/team/open/"})
    EXPECT_EQ(usual_version(url).to_string(), "2.1.0") << url;
  for (const std::string_view url : {"https://host", "https://host/opener", "https://open"})
    EXPECT_EQ(usual_version(url).to_string(), "3.1.0") << url;
}

}  // namespace
}  // namespace symcached::client
