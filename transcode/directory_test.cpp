#include "transcode/directory.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <thread>

#include "testing/temp_folder.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const DebugId kId{*Guid::parse("3249d99d0c4049318610f4e4fb0b6936"), 0x1a};
const std::string kUpper = "3249D99D0C4049318610F4E4FB0B69361A";
const std::string kLower = "3249d99d0c4049318610f4e4fb0b69361a";
const std::string kFile = "app.pdb/" + kUpper + "/app.pdb-v3.1.0.symcache";

/// A directory in a folder of its own. When its clock is set ahead, all changes are old ones.
struct Fixture {
  TempFolder folder;
  std::vector<std::string> log;
  std::chrono::hours ahead{0};
  std::unique_ptr<SymcacheDirectory> directory = open();

  std::unique_ptr<SymcacheDirectory> open() {
    const auto now = [this] { return std::chrono::system_clock::now() + ahead; };
    const auto keep = [this](Severity, const std::string& line) { log.push_back(line); };
    return SymcacheDirectory::open(folder.path(), {keep, now}).value();
  }
  std::vector<std::string> versions(std::string_view name = "app.pdb", std::string_view image = {}) {
    std::vector<std::string> all;
    const HeldFiles found = directory->find(name, kId, image);
    for (const Held& held : *found) all.push_back(held.version.to_string());
    return all;
  }
  SharedSymcache first(std::string_view name = "app.pdb") {
    const auto found = directory->find(name, kId);
    return found->empty() ? nullptr : directory->open(found->front());
  }
  JobFolder job(std::string_view content) {
    JobFolder made = directory->new_job().value();
    std::ofstream(made.path() / "out") << content;
    return made;
  }
  void publish(std::string_view name, wpt::Version version = {3, 1, 0}, std::string_view content = "made") {
    const JobFolder made = job(content);
    const auto ok = directory->publish(made.path() / "out", name, kId, version);
    EXPECT_TRUE(ok) << ok.error().why;
  }
};

std::string content_of(const OpenSymcache& file) {
  std::string content(file.size, '\0');
  content.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(file.file->get(), content.data(), file.size, 0))));
  return content;
}

TEST(SymcacheDirectory, FindsWhatOthersPutThere) {
  struct Row {
    std::string why, file, ask;
    bool found;
  };
  const Row rows[] = {
      {"as WPA writes it", kFile, "app.pdb", true},
      {"asked for in another case", kFile, "APP.pdb", true},
      {"as the sample writes it", "app.pdb/3249d99d0c4049318610f4e4fb0b69361A/app.pdb-v3.1.0.symcache", "app.pdb",
       true},
      {"all lower", "app.pdb/" + kLower + "/app.pdb-v3.1.0.symcache", "app.pdb", true},
      {"cases within do not agree", "App.pdb/" + kUpper + "/APP.PDB-V3.1.0.SYMCACHE", "app.pdb", true},
      {"one name with backslashes", "App.pdb\\" + kLower + "\\app.pdb-v3.1.0.symcache", "app.pdb", true},
      {"another PDB's file", "app.pdb/" + kUpper + "/other.pdb-v3.1.0.symcache", "app.pdb", false},
      {"another age", "app.pdb/3249D99D0C4049318610F4E4FB0B69361B/app.pdb-v3.1.0.symcache", "app.pdb", false},
      {"not complete", kFile + ".pending", "app.pdb", false},
      {"a dot folder", ".app.pdb/" + kUpper + "/app.pdb-v3.1.0.symcache", ".app.pdb", false},
      {"generation 2 of the stem", "app.dll-" + kLower + "v2.symcache", "app.pdb", true},
      {"generation 2 of another", "other.dll-" + kLower + "v2.symcache", "app.pdb", false},
      {"generation 1 has no PDB", "app.dll-5a1e8f3c2b000v1.symcache", "app.pdb", false},
  };
  for (const Row& r : rows) {
    Fixture f;
    f.folder.write(r.file, "content");
    EXPECT_EQ(f.first(r.ask) != nullptr, r.found) << r.why;
  }
}

TEST(SymcacheDirectory, AllVersionsOfAllSpellingsInOrder) {
  Fixture f;
  f.folder.write("app.pdb/" + kUpper + "/app.pdb-v3.2.0.symcache", "x");
  f.folder.write("APP.PDB/" + kLower + "/app.pdb-v3.1.0.symcache", "x");
  f.folder.write("app.pdb/" + kLower + "/app.pdb-v4.0.0.symcache", "x");
  f.folder.write("image.exe-" + kLower + "v2.symcache", "x");
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0", "3.2.0", "4.0.0"));
  EXPECT_THAT(f.versions("app.pdb", "IMAGE.exe"), ElementsAre("2.0.0", "3.1.0", "3.2.0", "4.0.0"));
}

TEST(SymcacheDirectory, AHitReadsNoFolder) {
  Fixture f;
  f.ahead = std::chrono::hours(1);
  f.folder.write(kFile, "content");
  ASSERT_TRUE(f.first());
  EXPECT_TRUE(f.directory->open_known(f.directory->find("app.pdb", kId)->front()));
  const std::uint64_t before = f.directory->folders_read();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(f.first());
  EXPECT_THAT(f.versions("missing.pdb"), IsEmpty());
  EXPECT_EQ(f.directory->folders_read(), before);
}

TEST(SymcacheDirectory, ChangesOfOthersAreSeen) {
  Fixture f;
  EXPECT_THAT(f.versions(), IsEmpty());
  f.folder.write(kFile, "content");
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0"));
  f.folder.write("app.pdb/" + kUpper + "/app.pdb-v3.2.0.symcache", "x");
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0", "3.2.0"));
  f.folder.write("App.pdb/" + kUpper + "/app.pdb-v3.3.0.symcache", "x");
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0", "3.2.0", "3.3.0"));
  fs::remove_all(f.folder.path() / "app.pdb");
  EXPECT_THAT(f.versions(), ElementsAre("3.3.0"));
}

TEST(SymcacheDirectory, AChangeWithinThePrecisionOfTheClockIsSeen) {
  Fixture f;
  f.folder.write(kFile, "content");
  EXPECT_TRUE(f.first());
  const std::uint64_t before = f.directory->folders_read();
  EXPECT_TRUE(f.first());
  EXPECT_GT(f.directory->folders_read(), before) << "the folder changed just now, and may again in the same instant";
}

TEST(SymcacheDirectory, AnotherFolderOfThatNameIsSeen) {
  Fixture f;
  f.ahead = std::chrono::hours(1);
  f.folder.write(kFile, "content");
  ASSERT_TRUE(f.first());
  f.folder.write(".other/" + kUpper + "/app.pdb-v3.2.0.symcache", "x");
  fs::rename(f.folder.path() / "app.pdb", f.folder.path() / ".old");
  fs::rename(f.folder.path() / ".other", f.folder.path() / "app.pdb");
  EXPECT_THAT(f.versions(), ElementsAre("3.2.0"));
}

TEST(SymcacheDirectory, AnEmptyFileIsNotThereUntilItIsFilled) {
  Fixture f;
  f.folder.write(kFile, "");
  EXPECT_THAT(f.versions(), IsEmpty());
  f.folder.write(kFile, "content");
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0"));
}

TEST(SymcacheDirectory, LinksAreNotFollowed) {
  Fixture f;
  const TempFolder elsewhere;
  elsewhere.write(kFile, "secret");
  fs::create_directories(f.folder.path() / "app.pdb" / kUpper);
  fs::create_symlink(elsewhere.path() / kFile, f.folder.path() / kFile);
  EXPECT_FALSE(f.first());
  fs::remove_all(f.folder.path() / "app.pdb");
  fs::create_directory_symlink(elsewhere.path() / "app.pdb", f.folder.path() / "app.pdb");
  EXPECT_FALSE(f.first());
}

TEST(SymcacheDirectory, TheTagIsOfVersionAndContent) {
  Fixture f;
  f.folder.write(kFile, "content");
  const std::string first = f.first()->etag;
  EXPECT_EQ(first, "\"3.1.0-ed7002b439e9ac845f22357d822bac14\"");  // sha256("content")
  f.folder.write(kFile, "changed");
  EXPECT_NE(f.first()->etag, first) << "the same size, in place";
}

TEST(SymcacheDirectory, AnOpenFileOutlivesItsName) {
  Fixture f;
  f.folder.write(kFile, "content");
  const auto file = f.first();
  fs::remove(f.folder.path() / kFile);
  EXPECT_EQ(content_of(*file), "content");
  EXPECT_FALSE(f.directory->open({.path = kFile}));
}

TEST(SymcacheDirectory, PublishesAsWpaWouldHave) {
  Fixture f;
  f.publish("app.pdb");
  EXPECT_TRUE(fs::exists(f.folder.path() / kFile));
  EXPECT_TRUE(f.directory->open_known(f.directory->find("app.pdb", kId)->front())) << "nobody else wrote it";
  const auto file = f.first();
  ASSERT_TRUE(file);
  EXPECT_EQ(content_of(*file), "made");
  f.publish("app.pdb", {3, 1, 0}, "made again");
  EXPECT_EQ(content_of(*f.first()), "made") << "what is there stays";
}

TEST(SymcacheDirectory, PublishKeepsTheSpellingOfFolders) {
  Fixture f;
  f.folder.write("App.PDB/" + kLower + "/App.PDB-v3.1.0.symcache", "theirs");
  f.publish("app.pdb", {3, 2, 0});
  EXPECT_TRUE(fs::exists(f.folder.path() / "App.PDB" / kLower / "app.pdb-v3.2.0.symcache"));
  EXPECT_THAT(f.versions(), ElementsAre("3.1.0", "3.2.0"));
  f.publish("APP.PDB");
  EXPECT_EQ(content_of(*f.first()), "theirs");
}

TEST(SymcacheDirectory, PublishReplacesAnEmptyFile) {
  Fixture f;
  f.folder.write(kFile, "");
  f.publish("app.pdb");
  EXPECT_EQ(content_of(*f.first()), "made");
}

TEST(SymcacheDirectory, PublishRefuses) {
  Fixture f;
  const JobFolder made = f.job("made"), empty = f.job("");
  fs::create_symlink(made.path() / "out", empty.path() / "link");
  const auto refused = [&](const fs::path& file, std::string_view name) {
    const auto ok = f.directory->publish(file, name, kId, {3, 1, 0});
    return ok ? std::string("published") : ok.error().why;
  };
  for (const std::string_view name : {"..", ".x", "a/b", "", "a\\b"})
    EXPECT_THAT(refused(made.path() / "out", name), HasSubstr("file name")) << name;
  EXPECT_THAT(refused(made.path() / "out", std::string(250, 'a')), HasSubstr("File name too long"));
  EXPECT_THAT(refused(empty.path() / "out", "a.pdb"), HasSubstr("No data"));
  EXPECT_THAT(refused(empty.path() / "link", "a.pdb"), HasSubstr("symbolic links"));
  EXPECT_THAT(refused(empty.path() / "missing", "a.pdb"), HasSubstr("No such file"));
  EXPECT_EQ(f.versions("a.pdb").size(), 0u);
}

TEST(SymcacheDirectory, WhatIsNotAsWeWroteItIsMovedAway) {
  Fixture f;
  f.publish("app.pdb");
  if (::getxattr((f.folder.path() / kFile).c_str(), "user.symcached.sha256", nullptr, 0) < 0)
    GTEST_SKIP() << "no extended attributes in " << f.folder.path();
  f.folder.write(kFile, "MADE");
  EXPECT_FALSE(f.first());
  EXPECT_FALSE(fs::exists(f.folder.path() / kFile));
  EXPECT_EQ(f.directory->quarantined(), 1u);
  EXPECT_THAT(f.log, ElementsAre(HasSubstr("its content is not what was written there; moved to ")));
  f.publish("app.pdb");
  EXPECT_TRUE(f.first());
}

TEST(SymcacheDirectory, RemovesOnlyWhatDeadRunsLeft) {
  Fixture f;
  f.folder.write(".symcached/jobs/abcdef/lock", "");
  f.folder.write(".symcached/jobs/abcdef/job/out", "left over");
  f.folder.write("unknown.txt", "x");
  const JobFolder alive = f.job("alive");
  const auto other = f.open();
  EXPECT_FALSE(fs::exists(f.folder.path() / ".symcached/jobs/abcdef"));
  EXPECT_TRUE(fs::exists(alive.path() / "out"));
  EXPECT_TRUE(fs::exists(f.folder.path() / "unknown.txt"));
  EXPECT_THAT(f.log, ElementsAre(HasSubstr("removed the files of 1 runs")));
}

TEST(SymcacheDirectory, JobFoldersAreGoneWithTheirOwner) {
  Fixture f;
  fs::path path;
  {
    const JobFolder job = f.job("x");
    path = job.path();
    fs::create_directory_symlink(f.folder.path(), path / "link");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(f.folder.path()));
}

TEST(SymcacheDirectory, OpensOnlyWhatCanBeOne) {
  const TempFolder folder;
  folder.write("file", "x");
  EXPECT_THAT(SymcacheDirectory::open(folder.path() / "file", {}).error(), HasSubstr("Not a directory"));
  EXPECT_TRUE(SymcacheDirectory::open(folder.path() / "new/deep", {}));
  EXPECT_TRUE(fs::is_empty(folder.path() / "new/deep")) << "nothing is written before there is a job";
  folder.write("cache/.symcached", "marker");
  EXPECT_THAT(SymcacheDirectory::open(folder.path() / "cache", {}).error(), HasSubstr("must be another"));
}

/// A process whose root is another folder, until the end of its owner.
class Elsewhere {
 public:
  explicit Elsewhere(const fs::path& root) {
    if (::pipe(ready_) != 0) return;
    pid_ = ::fork();
    if (pid_ != 0) return;
    const char said = ::chroot(root.c_str()) == 0 ? 'y' : 'n';
    if (::write(ready_[1], &said, 1) == 1) ::pause();
    ::_exit(0);
  }
  ~Elsewhere() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    for (const int end : ready_) ::close(end);
  }
  bool is_there() const {
    char said = 'n';
    return pid_ > 0 && ::read(ready_[0], &said, 1) == 1 && said == 'y';
  }
  fs::path root() const { return "/proc/" + std::to_string(pid_) + "/root"; }

 private:
  int ready_[2] = {-1, -1};
  pid_t pid_ = -1;
};

TEST(SymcacheDirectory, MayLieInTheRootOfAnotherProcess) {
  const TempFolder folder;
  const Elsewhere process(folder.path());
  if (!process.is_there()) GTEST_SKIP() << "chroot(2) is not allowed";
  folder.write("SymCache/" + kFile, "content");
  const auto directory = SymcacheDirectory::open(process.root() / "SymCache", {});
  ASSERT_TRUE(directory) << directory.error();
  const auto held = (*directory)->find("app.pdb", kId);
  ASSERT_EQ(held->size(), 1u);
  EXPECT_TRUE((*directory)->open(held->front()));
  EXPECT_TRUE((*directory)->new_job());
  EXPECT_TRUE(fs::exists(folder.path() / "SymCache/.symcached/jobs"));
}

TEST(SymcacheDirectory, ManyPublishOneKey) {
  Fixture f;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 10; ++j) f.publish("app.pdb", {3, 1, static_cast<std::uint32_t>(j)});
    });
  threads.clear();
  EXPECT_EQ(f.versions().size(), 10u);
}

TEST(SymcacheDirectory, WhatIsTrustedIsLookedAtAgainWhenItIsGone) {
  const TempFolder folder;
  const auto later = [] { return std::chrono::system_clock::now() + std::chrono::hours(1); };  // all has settled
  const auto directory = *SymcacheDirectory::open(folder.path(), {.now = later, .trusted = std::chrono::hours(1)});
  folder.write(kFile, "one");
  const auto opened = [&]() -> std::string {
    const auto held = directory->find("app.pdb", kId);
    const auto symcache = held->empty() ? nullptr : directory->open_known(held->front());
    return symcache ? symcache->etag : held->empty() ? "none" : "unknown";
  };
  EXPECT_EQ(opened(), "unknown");
  const std::string etag = directory->open(directory->find("app.pdb", kId)->front())->etag;
  EXPECT_EQ(opened(), etag) << "kept open";
  fs::remove(folder.path() / kFile);
  EXPECT_EQ(opened(), "unknown");
  EXPECT_FALSE(directory->open(directory->find("app.pdb", kId)->front()));
  EXPECT_EQ(opened(), "none");
  folder.write(kFile, "two");
  EXPECT_EQ(opened(), "none") << "it is trusted";
  directory->look_again();
  EXPECT_EQ(opened(), "unknown");
}

}  // namespace
}  // namespace symcached::transcode
