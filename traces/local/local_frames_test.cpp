#include "traces/local/local_frames.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/caches/answering_modules.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::traces {
namespace {

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Resolved ask(FrameSource& source, const FrameQuestion& question) {
  Resolved answer;
  source.resolve(std::span(&question, 1), std::span(&answer, 1));
  return answer;
}

/// A module of which the folder has a symcache: ns::outer(int) from 0x1000 on, with a call inlined from 0x1004 on.
class LocalFramesTest : public testing::Test {
 protected:
  LocalFramesTest() { folder_.write("opt/srv.symcache", as_text(cache_)); }
  TempFolder folder_;
  std::vector<std::byte> cache_ = testkit::write(testkit::answering_functions());
};

TEST_F(LocalFramesTest, APlaceInAnImage) {
  LocalFrames frames({.places = {folder_.path()}, .debug_folders = {}});
  const Resolved found =
      ask(frames, {.module = "/usr/bin/srv", .kind = NumberKind::image, .value = 0x1005, .subtract = true});
  EXPECT_EQ(found.status, Status::unverified);
  EXPECT_EQ(found.lookup, 0x1004u);
  ASSERT_EQ(found.frames.size(), 2u);
  EXPECT_EQ(found.frames[0].function, "void std::get<int>()");
  EXPECT_TRUE(found.frames[0].is_inlined);
  EXPECT_EQ(found.frames[1].line, 12u);
  EXPECT_EQ(ask(frames, {.module = "srv", .kind = NumberKind::image, .value = 0x9000}).status, Status::no_debug_file);
}

TEST_F(LocalFramesTest, ExplainsWhatIsMissing) {
  LocalFrames frames({.places = {folder_.path()}, .debug_folders = {}});
  struct Row {
    FrameQuestion question;
    std::string_view reason;
  };
  const Row rows[] = {
      {{.module = "a.so", .kind = NumberKind::image, .value = 0x1000}, "no source has a file of this name"},
      {{.module = "b.so", .build_id = "00112233", .kind = NumberKind::image}, "no source has a debug file for this id"},
      {{.module = "", .kind = NumberKind::runtime, .value = 0x1000}, "nothing tells which module lay at this address"},
      {{.module = "srv", .kind = NumberKind::image, .value = 0x9000}, "the address lies outside every function of srv"},
      {{.module = "srv", .build_id = "00112233", .kind = NumberKind::image},
       "source --symbols has another file at this place, or a damaged one: id is "},
      {{.module = "z.dll", .kind = NumberKind::token, .value = 0x6000001}, "no source has a file of this name"},
  };
  for (const Row& r : rows) ask(frames, r.question);
  ask(frames, {.module = "srv", .kind = NumberKind::image, .value = 0x1004});
  std::vector<std::string> reasons;
  for (const auto& one : frames.explanations()) {
    reasons.push_back(one.module + ": " + one.advice.reason);
    EXPECT_EQ(one.frames, 1u);
    EXPECT_FALSE(one.advice.fix.empty());
  }
  for (const Row& r : rows) {
    const std::string want = fmt::format("{}: {}", r.question.module, r.reason);
    const auto is_it = [&](const std::string& reason) { return reason.starts_with(want); };
    EXPECT_EQ(std::ranges::count_if(reasons, is_it), 1) << want;
  }
  EXPECT_EQ(reasons.size(), std::size(rows)) << "of what was found nothing is said";
}

TEST_F(LocalFramesTest, WhyThereIsNothing) {
  LocalFrames frames({.places = {folder_.path()}, .debug_folders = {}});
  struct Row {
    FrameQuestion question;
    Status status;
  };
  const Row rows[] = {
      {{.module = "", .kind = NumberKind::image, .value = 0x1000}, Status::no_module},
      {{.module = "", .kind = NumberKind::runtime, .value = 0x1000}, Status::no_map},
      {{.module = "srv", .kind = NumberKind::runtime, .value = 0x1000}, Status::no_map},
      {{.module = "other", .kind = NumberKind::image, .value = 0x1000}, Status::no_debug_file},
      {{.module = "../../etc/srv", .kind = NumberKind::image, .value = 0x9000}, Status::no_debug_file},
      {{.module = "srv", .build_id = "00112233", .kind = NumberKind::image, .value = 0x1000}, Status::id_mismatch},
      {{.module = "srv", .kind = NumberKind::named, .value = 1, .function = "ns::outer", .size = 0x77},
       Status::id_mismatch},
      {{.module = "srv", .kind = NumberKind::named, .value = 1, .function = "none"}, Status::no_debug_file},
      {{.module = "app.dll", .kind = NumberKind::token, .value = 0x6000001}, Status::no_debug_file},
  };
  for (const Row& r : rows) EXPECT_EQ(name_of(ask(frames, r.question).status), name_of(r.status)) << r.question.module;
  EXPECT_EQ(frames.complaints().size(), 3u);
}

TEST_F(LocalFramesTest, ByNameAndOffset) {
  LocalFrames frames({.places = {folder_.path()}, .debug_folders = {}});
  const FrameQuestion question{.module = "srv", .kind = NumberKind::named, .value = 4, .function = "ns::outer"};
  EXPECT_EQ(ask(frames, question).frames.size(), 2u);
}

TEST_F(LocalFramesTest, TheOnlyFileIsMeantWhereNoModuleIsNamed) {
  LocalFrames frames({.places = {folder_.path() / "opt/srv.symcache"}, .debug_folders = {}});
  EXPECT_EQ(ask(frames, {.module = "", .kind = NumberKind::image, .value = 0x1000}).status, Status::unverified);
}

TEST_F(LocalFramesTest, FilesOfTwoBuildsAreAmbiguous) {
  folder_.write("other/srv.symcache",
                as_text(testkit::write(testkit::answering_functions(), {.debug_id = DebugId{{{1}}, 0}})));
  LocalFrames frames({.places = {folder_.path()}, .debug_folders = {}});
  const Resolved answer = ask(frames, {.module = "srv", .kind = NumberKind::image, .value = 0x1000});
  EXPECT_EQ(answer.status, Status::ambiguous);
  EXPECT_EQ(answer.candidates, 2u);
  EXPECT_EQ(
      ask(frames, {.module = "srv", .debug_id = DebugId{{{1}}, 0}, .kind = NumberKind::image, .value = 0x1000}).status,
      Status::ok);
}

TEST_F(LocalFramesTest, WhatIsNotHereIsFetchedById) {
  std::vector<std::string> asked;
  LocalFrames frames({.places = {}, .debug_folders = {}, .fetch = [&](const sources::ModuleIds& module) {
                        asked.push_back(module.code_id);
                        return FetchedFile{{}, Bytes(cache_)};
                      }});
  const FrameQuestion question{.module = "/opt/x", .build_id = "4f2c", .kind = NumberKind::image, .value = 0x1000};
  EXPECT_EQ(ask(frames, question).status, Status::ok);
  EXPECT_EQ(ask(frames, question).frames.size(), 1u);
  EXPECT_EQ(asked, std::vector<std::string>{"4f2c"});
  EXPECT_EQ(ask(frames, {.module = "/opt/x", .kind = NumberKind::image, .value = 0x1000}).status,
            Status::no_debug_file);
}

TEST(ModuleFiles, MatchesOnlyWhatIsTheSameBuild) {
  const auto id = DebugId::parse("1B0A2C4F-0000-0000-0000-000000000001-0");
  struct Row {
    FileIdentity file;
    std::string build_id;
    std::optional<DebugId> debug_id;
    bool matches;
  };
  const Row rows[] = {
      {{"4f2c0a1b", {}}, "4f2c0a1b", {}, true},
      {{"4f2c0a1b", {}}, "4f2c0a1c", {}, false},
      {{"", {}}, "4f2c0a1b", {}, false},
      {{"", id}, "4f2c0a1b0000000000000000000000010203", {}, true},
      {{"4f2c0a1b0000000000000000000000010204", id}, "4f2c0a1b0000000000000000000000010203", {}, false},
      {{"", id}, "1b0a2c4f000000000000000000000001", {}, true},
      {{"x", id}, "", id, true},
      {{"x", DebugId{id->guid, 3}}, "", id, true},
      {{"x", DebugId{id->guid, 3}}, "", DebugId{id->guid, 2}, false},
      {{"x", {}}, "", id, false},
  };
  for (const Row& r : rows)
    EXPECT_EQ(matches(r.file, {.module = "m", .build_id = r.build_id, .debug_id = r.debug_id}), r.matches)
        << r.file.code_id << " " << r.build_id;
}

}  // namespace
}  // namespace symcached::traces
