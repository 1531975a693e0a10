#include "service/source_files.hpp"

#include <gtest/gtest.h>

#include "net/run_task.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::service {
namespace {

using stacks::DownloadStatus;

constexpr fetch::TextLimits kHere{.max_size = 1000, .total_ms = 5'000, .private_addresses = true};

http::Response text(std::string content) { return {200, {{"Content-Type", "text/plain"}}, std::move(content)}; }

struct Scene {
  explicit Scene(fetch::TextLimits limits = kHere)
      : files(*store, limits, "symcached/test", {}, [](Severity, auto) {}) {}
  SourceFileAnswer find(const std::string& path, std::string scope = "mine", http::Headers headers = {}) {
    return run_task(files.find({upstream.url() + path, std::move(scope), std::move(headers)}));
  }
  FakeUpstream upstream;
  std::unique_ptr<store::Store> store = store::Store::unnamed();
  SourceFiles files;
};

TEST(SourceFiles, WhatIsFetchedAndWhatIsSaidOfTheRest) {
  Scene scene;
  scene.upstream.put("/a.c", text("int a;\r\nint b;\n"));
  scene.upstream.put("/empty.c", text(""));
  scene.upstream.put("/latin1.c", text("\xE4\n"));
  scene.upstream.put("/large.c", text(std::string(1001, 'x')));
  scene.upstream.put("/login", {200, {{"Content-Type", "text/html"}}, "<html>"});
  scene.upstream.put("/forbidden", http::text(403, "no"));
  struct Row {
    std::string path;
    DownloadStatus status;
    std::uint32_t lines;
  };
  const Row rows[] = {
      {"/a.c", DownloadStatus::ok, 2},
      {"/empty.c", DownloadStatus::ok, 0},
      {"/latin1.c", DownloadStatus::malformed, 0},
      {"/large.c", DownloadStatus::malformed, 0},
      {"/login", DownloadStatus::malformed, 0},
      {"/forbidden", DownloadStatus::error, 0},
      {"/none", DownloadStatus::not_found, 0},
      {"/" + std::string(3000, 'x'), DownloadStatus::error, 0},
  };
  for (const Row& r : rows) {
    const SourceFileAnswer first = scene.find(r.path);
    EXPECT_EQ(first.status, r.status) << r.path.substr(0, 20);
    EXPECT_EQ(first.lines != nullptr, r.status == DownloadStatus::ok) << r.path.substr(0, 20);
    EXPECT_EQ(first.lines ? first.lines->count() : 0, r.lines);
    EXPECT_EQ(first.details.empty(), r.status != DownloadStatus::error);
  }
  const std::size_t asked = scene.upstream.asked().size();
  for (const Row& r : rows) EXPECT_EQ(scene.find(r.path).status, r.status) << r.path.substr(0, 20);
  EXPECT_EQ(scene.upstream.asked().size(), asked) << "all of it is remembered";
}

TEST(SourceFiles, ScopesAndCredentialsDoNotShare) {
  Scene scene;
  scene.upstream.put("/a.c", text("int a;\n"));
  const auto ask = [&](std::string scope, http::Headers headers) {
    const std::size_t before = scene.upstream.asked().size();
    EXPECT_TRUE(scene.find("/a.c", std::move(scope), std::move(headers)).lines);
    return scene.upstream.asked().size() - before;
  };
  EXPECT_EQ(ask("mine", {}), 1u);
  EXPECT_EQ(ask("mine", {}), 0u);
  EXPECT_EQ(ask("yours", {}), 1u);
  EXPECT_EQ(ask("mine", {{"X-Token", "1"}}), 1u);
  EXPECT_EQ(ask("mine", {{"X-Token", "2"}}), 1u);
  EXPECT_EQ(ask("mine", {{"X-Token", "1"}}), 0u);
}

TEST(SourceFiles, PrivateAddressesAreNotAsked) {
  fetch::TextLimits limits = kHere;
  limits.private_addresses = false;
  Scene scene(limits);
  scene.upstream.put("/a.c", text("int a;\n"));
  EXPECT_EQ(scene.find("/a.c").status, DownloadStatus::error);
  EXPECT_EQ(scene.upstream.asked().size(), 0u);
}

}  // namespace
}  // namespace symcached::service
