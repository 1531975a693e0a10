#include "fetch/loose_folder.hpp"

#include <gmock/gmock.h>

#include "fetch/beneath.hpp"
#include "testing/elf/image.hpp"
#include "testing/pe/image.hpp"
#include "testing/server/passing_reader.hpp"
#include "testing/server/process.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

namespace fs = std::filesystem;
using sources::FileType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kProgram(as_text(testkit::assemble(testkit::rich_elf({true, false}))));
const std::string kImage(as_text(testkit::assemble(testkit::PeImage{}).finish()));
const sources::FileRequest kWantedDebug{FileType::elf_debug, {.code_id = "0102030405060708090a0b0c0d0e0f1011121314"}};
const sources::FileRequest kWantedImage{FileType::pe, {.code_file = "other.exe", .code_id = "5ab380779000"}};

/// Counts what is looked into.
class CountingReader : public PassingReader {
 public:
  Task<std::expected<Ids, FileError>> state_ids(int file, std::uint64_t offset, std::uint64_t size) override {
    ++looked;
    if (fails) co_return std::unexpected(FileError{true, "no worker"});
    co_return co_await PassingReader::state_ids(file, offset, size);
  }
  int looked = 0;
  bool fails = false;
};

class LooseTest : public SourceTest {
 protected:
  std::vector<std::string> find(LooseFolder& loose, const sources::FileRequest& wanted) {
    DirectoryRoot root(folder_.path());
    auto paths = run_task(loose.find(*root.get(), folder_.path(), wanted));
    EXPECT_TRUE(paths) << paths.error();
    return paths.value_or(std::vector<std::string>());
  }
  std::string ask_for(const sources::FileRequest& wanted, sources::Layout layout = sources::Layout::automatic) {
    sources::SourceConfig config{.location = sources::FolderPlace{folder_.path().string()}, .layout = layout};
    const auto asked = make_source(config, objects_, client_);
    return describe(run_task((*asked)->open(wanted_of(wanted))));
  }

  CountingReader reader_;
  std::chrono::steady_clock::time_point time_{};
  LooseFolder::Now now_ = [this] { return time_; };
};

TEST_F(LooseTest, FilesAreFoundByWhatTheyState) {
  folder_.write("bin/deep/program", kProgram);
  folder_.write("copy", kProgram);
  folder_.write("image.dll", kImage);
  folder_.write("notes.txt", "text");
  folder_.write("broken",
                "\x7f"
                "ELF broken");
  LooseFolder loose(reader_);
  EXPECT_THAT(find(loose, kWantedDebug), ElementsAre("bin/deep/program", "copy"));
  EXPECT_EQ(reader_.looked, 4) << "not into the text";
  EXPECT_THAT(find(loose, kWantedImage), ElementsAre("image.dll"));
  EXPECT_THAT(find(loose, {FileType::mach_debug, kWantedDebug.module}), IsEmpty()) << "of another type";
}

TEST_F(LooseTest, OnlyWhatIsNewIsLookedInto) {
  folder_.write("one", kProgram);
  LooseFolder loose(reader_, {}, now_);
  EXPECT_THAT(find(loose, kWantedImage), IsEmpty());
  EXPECT_EQ(reader_.looked, 1);
  folder_.write("two", kImage);
  EXPECT_THAT(find(loose, kWantedImage), IsEmpty()) << "it has only just been searched";
  time_ += std::chrono::seconds(2);
  EXPECT_THAT(find(loose, kWantedImage), ElementsAre("two"));
  EXPECT_EQ(reader_.looked, 2);
  time_ += std::chrono::seconds(2);
  folder_.write("one", "now something else");
  EXPECT_THAT(find(loose, kWantedDebug), IsEmpty());
  fs::remove(folder_.path() / "two");
  time_ += std::chrono::seconds(2);
  EXPECT_THAT(find(loose, kWantedImage), IsEmpty());
}

TEST_F(LooseTest, WalksHaveAnEnd) {
  for (int i = 0; i < 20; ++i) folder_.write("filler/" + std::to_string(i), "x");
  folder_.write("a/b/c/program", kProgram);
  LooseFolder shallow(reader_, {.max_depth = 2});
  EXPECT_THAT(find(shallow, kWantedDebug), IsEmpty());
  LooseFolder few(reader_, {.max_entries = 1});
  EXPECT_THAT(find(few, kWantedDebug), IsEmpty());
  LooseFolder all(reader_);
  EXPECT_THAT(find(all, kWantedDebug), ElementsAre("a/b/c/program"));
}

TEST_F(LooseTest, StoresAreNotLookedInto) {
  folder_.write("crash.pdb/" + std::string(kGuid) + "1/crash.pdb", fake_pdb("x"));
  folder_.write("cr/crash.pdb/" + std::string(kGuid) + "1/crash.pdb", fake_pdb("x"));
  folder_.write("program", kProgram);
  LooseFolder loose(reader_, {.skips_places = true});
  EXPECT_THAT(find(loose, kWantedDebug), ElementsAre("program"));
  EXPECT_EQ(reader_.looked, 1);
}

TEST_F(LooseTest, NoLinkLeadsOutOrAround) {
  const TempFolder elsewhere;
  elsewhere.write("program", kProgram);
  fs::create_symlink(elsewhere.path() / "program", folder_.path() / "outside");
  fs::create_symlink(folder_.path(), folder_.path() / "loop");
  LooseFolder loose(reader_);
  EXPECT_THAT(find(loose, kWantedDebug), IsEmpty());
  EXPECT_EQ(reader_.looked, 0);
  folder_.write("program", kProgram);
  fs::create_symlink("program", folder_.path() / "inside");
  LooseFolder again(reader_);
  EXPECT_THAT(find(again, kWantedDebug), ElementsAre("inside", "program"));
}

TEST_F(LooseTest, AReaderThatFailsSaysNothingAboutTheFile) {
  folder_.write("program", kProgram);
  reader_.fails = true;
  LooseFolder loose(reader_);
  DirectoryRoot root(folder_.path());
  const auto failed = run_task(loose.find(*root.get(), folder_.path(), kWantedDebug));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error(), HasSubstr("no worker"));
  reader_.fails = false;
  EXPECT_THAT(find(loose, kWantedDebug), ElementsAre("program"));
}

TEST_F(LooseTest, AFolderAnswersFromItsLayoutFirstThenFromWhatFilesState) {
  folder_.write("build/program", kProgram);
  EXPECT_THAT(ask_for(kWantedDebug), StartsWith("found "));
  EXPECT_THAT(ask_for(kWantedDebug, sources::Layout::loose), StartsWith("found "));
  EXPECT_EQ(ask_for(kWantedDebug, sources::Layout::native), "not there") << "a layout that was named counts alone";
  EXPECT_EQ(ask_for(kWantedImage), "not there");
  folder_.write("pingme.txt", "");
  EXPECT_EQ(ask_for(kWantedDebug), "not there") << "a store is not searched";
  EXPECT_THAT(ask_for(kWantedDebug, sources::Layout::loose), StartsWith("found "));
  folder_.write("_.debug/elf-buildid-sym-" + kWantedDebug.module.code_id + "/_.debug", "no ELF file");
  EXPECT_THAT(ask_for(kWantedDebug), StartsWith("refused "));
}

}  // namespace
}  // namespace symcached::fetch
