#include "app/cache_warm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/commands.hpp"
#include "app/warm_inputs.hpp"
#include "object/identify.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = WarmOutcome::Kind;

const std::string kGuid = "3249D99D0C4049318610F4E4FB0B6936";

/// "there.pdb" is there, and so on.
WarmOutcome by_name(const sources::ModuleIds& m) {
  if (m.debug_file == "there.pdb") return {Kind::there, "", store::Quality::public_symbols};
  if (m.debug_file == "made.pdb") return {Kind::made, "", store::Quality::lines};
  if (m.debug_file == "missing.pdb") return {Kind::missing, "not found in any source"};
  return {Kind::failed, "no\x1b[2J use"};
}

struct Ran {
  int status;
  std::string out, err;
};
Ran run(const WarmOptions& options) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = warm(options, by_name);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(CacheWarm, ListsWhatIsNotThereAndCounts) {
  const TempFolder folder;
  folder.write("all", "there.pdb " + kGuid + "1\nmade.pdb " + kGuid + "1\n");
  folder.write("some", "there.pdb " + kGuid + "1\nmissing.pdb " + kGuid + "2\nx.pdb " + kGuid + "3\nnonsense\n");
  const Ran all = run({.inputs = {(folder.path() / "all").string()}});
  EXPECT_EQ(all.status, kDone);
  EXPECT_EQ(all.out,
            "2 modules: 1 already there, 1 made, 0 missing, 0 failed\nin the cache by quality: 1 lines, 1 publics\n");
  EXPECT_EQ(all.err, "");
  const Ran some = run({.inputs = {(folder.path() / "some").string()}, .threads = 1});
  EXPECT_EQ(some.status, kCouldNot);
  EXPECT_EQ(some.out, "missing: missing.pdb " + kGuid + "2: not found in any source\nfailed: x.pdb " + kGuid +
                          "3: no\\x1b[2J use\n3 modules: 1 already there, 0 made, 1 missing, 1 failed\n"
                          "in the cache by quality: 1 publics\n");
  EXPECT_THAT(some.err, HasSubstr("some: 1 lines are no modules\n"));
  EXPECT_THAT(some.err, HasSubstr("\"nonsense\"\n"));
}

TEST(CacheWarm, PrintsJson) {
  const TempFolder folder;
  folder.write("list", "missing.pdb " + kGuid + "2\n");
  const Ran ran = run({.inputs = {(folder.path() / "list").string()}, .json = true});
  EXPECT_EQ(ran.status, kCouldNot);
  EXPECT_EQ(ran.out,
            "{\"outcome\":\"missing\",\"debug_file\":\"missing.pdb\",\"debug_id\":\"3249d99d-0c40-4931-8610-"
            "f4e4fb0b6936-2\",\"error\":\"not found in any source\"}\n");
}

TEST(CacheWarm, AnInputThatCannotBeReadIsAFailure) {
  const TempFolder folder;
  folder.write("list", "there.pdb " + kGuid + "1\n");
  const Ran ran = run({.inputs = {(folder.path() / "missing").string(), (folder.path() / "list").string()}});
  EXPECT_EQ(ran.status, kCouldNot);
  EXPECT_THAT(ran.err, HasSubstr("missing"));
  EXPECT_THAT(ran.out, HasSubstr("1 module: 1 already there"));
}

TEST(WarmInputs, TakeDebugFilesFromFoldersAndByName) {
  const TempFolder folder;
  folder.write("a/b/app.sym", "MODULE windows x86_64 " + kGuid + "1a app.pdb\nPUBLIC 1000 0 main\n");
  folder.write("a/readme.txt", "there.pdb " + kGuid + "1\n");  // no list: only files that are named are
  folder.write("a/empty", "");
  std::filesystem::create_directory_symlink(folder.path() / "a", folder.path() / "a/b/again");
  const auto of_folder = read_warm_inputs({(folder.path() / "a").string()});
  ASSERT_EQ(of_folder.modules.size(), 1u);
  EXPECT_EQ(of_folder.modules[0].debug_file, "app.pdb");
  EXPECT_EQ(of_folder.modules[0].debug_id->breakpad(), kGuid + "1a");
  EXPECT_THAT(of_folder.errors, ElementsAre());
  const auto named = read_warm_inputs({(folder.path() / "a/b/app.sym").string()});
  EXPECT_EQ(named.modules, of_folder.modules);
}

TEST(WarmInputs, AProgramNamesItsPdb) {
  object::FileInfo info{.kind = object::FileKind::pe, .debug_id = DebugId{*Guid::parse(kGuid), 1}};
  info.code_id = "5AB380779000";
  info.links = {{object::FileKind::pdb, "other", "c:\\other.pdb"},
                {object::FileKind::pdb, info.debug_id->dashed(), "c:\\app.pdb"}};
  info.checksums = {"SHA256:00ff"};
  const auto module = module_of(info, "app.exe");
  EXPECT_EQ(module.code_file, "app.exe");
  EXPECT_EQ(module.code_id, "5ab380779000");
  EXPECT_EQ(module.debug_file, "c:\\app.pdb");
  ASSERT_EQ(module.checksums.size(), 1u);
  EXPECT_EQ(module.checksums[0].digest.size(), 2u);
}

}  // namespace
}  // namespace symcached::app
