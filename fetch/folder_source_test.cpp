#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "fetch/identity.hpp"
#include "testing/server/passing_reader.hpp"
#include "testing/server/process.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DirectoryTest : public SourceTest {
 protected:
  void SetUp() override { fs::create_directories((folder_.path() / kPath).parent_path()); }
  std::string root() const { return folder_.path().string(); }
  fs::path place() const { return folder_.path() / kPath; }
  void put(std::string_view content) const { folder_.write(kPath, content); }
};

TEST_F(DirectoryTest, TheIndexOfAStoreSaysWhichSpellingIsLookedForFirst) {
  const std::string odd = "crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pdb";
  const std::string listed = "\"crash.pdb\\3249d99d0c4049318610f4e4fb0b69361a\",\"C:\\crash.pdb\"\r\n";
  struct Row {
    std::string_view why, last_id, transaction, want, warning;
  };
  const Row rows[] = {
      {"listed", "0000000001\n", listed, "odd", ""},
      {"not listed", "0000000001", "\"other.pdb\\1\",\"x\"", "usual", ""},
      {"no transactions yet", "", "", "usual", ""},
      {"a deleted transaction", "0000000001", "", "usual", ""},
      {"a broken number", "<html>", listed, "usual", "000Admin/lastid.txt holds no number"},
      {"a broken transaction", "0000000001", "\"\"\"", "usual", "000Admin/0000000001 lists no file"},
  };
  put(fake_pdb("usual"));
  folder_.write(odd, fake_pdb("odd"));
  for (const Row& r : rows) {
    folder_.write("000Admin/lastid.txt", r.last_id);
    folder_.write("000Admin/0000000001", r.transaction);
    sources::SourceConfig config = config_of(root());
    config.layout = sources::Layout::symstore;
    config.has_index = true;
    std::vector<std::string> warnings;
    Log log = [&](Severity, const std::string& line) { warnings.push_back(line); };
    const auto source = std::move(*make_source(config, objects_, client_, log));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(describe(run_task(source->open(kWanted))), "found " + fake_pdb(r.want)) << r.why;
    EXPECT_EQ(warnings.size(), r.warning.empty() ? 0u : 1u) << r.why << ": once";
    EXPECT_THAT(warnings.empty() ? "" : warnings[0], HasSubstr(r.warning)) << r.why;
  }
}

TEST_F(DirectoryTest, NoLinkLeadsOut) {
  const TempFolder elsewhere;
  elsewhere.write("secret", fake_pdb("secret"));
  folder_.write("stored/inside", fake_pdb("inside"));
  const Descriptor opened(::open((elsewhere.path() / "secret").c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor inside(::open((folder_.path() / "stored/inside").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string up = "../../../";
  struct Row {
    std::string_view why;
    fs::path target;
    std::string_view want;
  };
  const Row rows[] = {
      {"relative, inside", "../../stored/inside", "found"},
      {"absolute, inside", folder_.path() / "stored/inside", "found"},
      {"absolute, inside by a detour", folder_.path() / "stored/../stored/inside", "found"},
      {"relative, outside", up + elsewhere.path().filename().string() + "/secret", "refused"},
      {"relative, out and in again", up + folder_.path().filename().string() + "/stored/inside", "found"},
      {"absolute, outside", elsewhere.path() / "secret", "refused"},
      {"beside, with the same start of the name", folder_.path().string() + "-other/secret", "not there"},
      {"an open file of this process, outside", "/proc/self/fd/" + std::to_string(opened.get()), "refused"},
      {"an open file of this process, inside", "/proc/self/fd/" + std::to_string(inside.get()), "found"},
      {"a device", "/dev/zero", "refused"},
      {"itself", place(), "refused"},
      {"nothing, inside", "gone", "not there"},
      {"nothing, absolute and inside", folder_.path() / "gone", "not there"},
      {"the directory itself", folder_.path(), "refused"},
  };
  for (const Row& r : rows) {
    fs::remove(place());
    fs::create_symlink(r.target, place());
    EXPECT_THAT(ask(root()), StartsWith(r.want)) << r.why;
  }
}

TEST_F(DirectoryTest, OnlyRegularFilesAreOpened) {
  fs::create_directory(place());
  EXPECT_THAT(ask(root()), HasSubstr(": not a regular file")) << "a directory";
  fs::remove(place());
  ASSERT_EQ(::mkfifo(place().c_str(), 0600), 0);
  EXPECT_THAT(ask(root()), HasSubstr(": not a regular file")) << "a FIFO, which nobody writes to";
  fs::remove(place());
  const Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX};
  ASSERT_LT(place().string().size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, place().c_str());
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(ask(root()), HasSubstr(": not a regular file")) << "a socket";
}

TEST_F(DirectoryTest, AnEmptyFileIsNotWholeYet) {
  put("");
  EXPECT_THAT(ask(root()), StartsWith("not whole"));
  put(fake_pdb("now"));
  EXPECT_EQ(ask(root()), "found " + fake_pdb("now"));
}

TEST_F(DirectoryTest, NamesThatCannotBeAreAbsences) {
  const auto asked = source(root());
  EXPECT_EQ(describe(run_task(asked->open(wanted_pdb(std::string(300, 'x'))))), "not there");
  fs::remove_all(folder_.path() / "Crash.pdb");
  folder_.write("Crash.pdb", "a file where a directory should be");
  EXPECT_EQ(describe(run_task(asked->open(kWanted))), "not there");
}

TEST_F(DirectoryTest, AReplacedRootIsOpenedAnew) {
  const auto asked = source(root());
  EXPECT_EQ(describe(run_task(asked->open(kWanted))), "not there");
  const fs::path moved = root() + "-moved";
  fs::rename(folder_.path(), moved);
  EXPECT_THAT(describe(run_task(asked->open(kWanted))), StartsWith("transient"));
  put(fake_pdb("new"));
  EXPECT_EQ(describe(run_task(asked->open(kWanted))), "found " + fake_pdb("new"));
  fs::remove_all(moved);
}

TEST_F(DirectoryTest, OutOfDescriptorsSaysNothingAboutTheFile) {
  put(fake_pdb("x"));
  const auto asked = source(root());
  const auto answer = [&] { return describe(run_task(asked->open(kWanted))); };
  {
    const NoDescriptors none;
    EXPECT_THAT(answer(), AllOf(StartsWith("exhausted"), HasSubstr("Too many open files"))) << "not even the root";
  }
  EXPECT_EQ(answer(), "found " + fake_pdb("x"));
  {
    const NoDescriptors none;
    EXPECT_THAT(answer(), AllOf(StartsWith("exhausted"), HasSubstr("Crash.pdb"))) << "the file";
  }
}

TEST_F(DirectoryTest, TheIdentityFollowsTheFile) {
  EXPECT_EQ(identify(root()), "") << "nothing there";
  put(fake_pdb("one"));
  const timespec old[] = {{1, 1}, {1'700'000'000, 42}};
  ASSERT_EQ(::utimensat(AT_FDCWD, place().c_str(), old, 0), 0);
  const std::string first = identify(root());
  EXPECT_THAT(first, AllOf(StartsWith("size=35 mtime=1700000000.000000042 inode="), HasSubstr("inode=")));
  const auto asked = source(root());
  const Outcome opened = run_task(asked->open(kWanted));
  ASSERT_TRUE(std::holds_alternative<Original>(opened));
  EXPECT_EQ(std::get<Original>(opened).identity, first);
  EXPECT_EQ(identify(root()), first) << "reading changes nothing";

  const timespec new_time[] = {{1, 1}, {1'700'000'000, 43}};
  ASSERT_EQ(::utimensat(AT_FDCWD, place().c_str(), new_time, 0), 0);
  EXPECT_TRUE(is_changed(first, identify(root()))) << "mtime";
  put(fake_pdb("longer"));
  ASSERT_EQ(::utimensat(AT_FDCWD, place().c_str(), old, 0), 0);
  EXPECT_TRUE(is_changed(first, identify(root()))) << "size";
  folder_.write("other", fake_pdb("two"));
  fs::rename(folder_.path() / "other", place());
  ASSERT_EQ(::utimensat(AT_FDCWD, place().c_str(), old, 0), 0);
  EXPECT_TRUE(is_changed(first, identify(root()))) << "inode";
}

Wanted wanted_portable() { return wanted_of({sources::FileType::portable_pdb, kWanted.file.module}); }

/// Somebody goes on writing while the file is looked into.
class SlowReader : public PassingReader {
 public:
  explicit SlowReader(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
  Task<std::expected<void, FileError>> unpack(Wrapper wrapper, int file, std::uint64_t offset, Limits limits,
                                              ByteSink sink) override {
    auto done = co_await PassingReader::unpack(wrapper, file, offset, limits, std::move(sink));
    meanwhile_();
    co_return done;
  }
  Task<std::expected<std::string, FileError>> verify(Wanted, int, std::uint64_t, std::uint64_t) override {
    meanwhile_();
    co_return result;
  }
  std::expected<std::string, FileError> result;

 private:
  const std::function<void()> meanwhile_;
};

TEST_F(DirectoryTest, WhatIsChangedWhileItIsReadIsNotWhole) {
  const auto cabinet = make_cabinet(cache_, {fake_pdb("packed")});
  ASSERT_TRUE(cabinet) << "gcab is not installed";
  const Wanted portable = wanted_portable();
  const std::string portable_path = "crash.pdb/3249d99d0c4049318610f4e4fb0b6936FFFFFFFF/crash.pdb";
  struct Row {
    std::string_view why;
    std::string path;
    std::string content;
    Wanted wanted;
    std::expected<std::string, FileError> verified;
  };
  const std::unexpected<FileError> bad(FileError{false, "bad"});
  const Row rows[] = {
      {"a cabinet", kPath, *cabinet, kWanted, ""},
      {"half a cabinet", kPath, cabinet->substr(0, cabinet->size() / 2), kWanted, ""},
      {"a Portable PDB", portable_path, "BSJB", portable, ""},
      {"a Portable PDB that is bad", portable_path, "BSJB", portable, bad},
  };
  for (const Row& r : rows) {
    const TempFolder folder;
    folder.write(r.path, r.content);
    SlowReader reader([&] { folder.write(r.path, r.content + "more"); });
    reader.result = r.verified;
    ObjectCache objects(*store_, {"objects", 1}, {}, reader);
    const auto asked = make_source(folder.path().string(), objects, client_);
    ASSERT_TRUE(asked);
    const Outcome outcome = run_task((*asked)->open(r.wanted));
    EXPECT_THAT(describe(outcome), AllOf(StartsWith("not whole"), HasSubstr("changed while being read"))) << r.why;
    ASSERT_TRUE(std::holds_alternative<NotWhole>(outcome)) << r.why;
    EXPECT_TRUE(is_changed(std::get<NotWhole>(outcome).identity, run_task((*asked)->identify(r.wanted)))) << r.why;
  }
}

TEST_F(DirectoryTest, AReaderThatFailsIsNotTheFilesFault) {
  const Wanted portable = wanted_portable();
  folder_.write("crash.pdb/3249d99d0c4049318610f4e4fb0b6936FFFFFFFF/crash.pdb", "BSJB");
  SlowReader reader([] {});
  ObjectCache objects(*store_, {"objects", 1}, {}, reader);
  const auto asked = make_source(root(), objects, client_);
  ASSERT_TRUE(asked);
  reader.result = std::unexpected(FileError{true, "no worker"});
  EXPECT_THAT(describe(run_task((*asked)->open(portable))), AllOf(StartsWith("exhausted"), HasSubstr("no worker")));
  reader.result = std::unexpected(FileError{false, "is another one"});
  EXPECT_THAT(describe(run_task((*asked)->open(portable))), StartsWith("refused"));
  reader.result = "a note";
  EXPECT_EQ(describe(run_task((*asked)->open(portable))), "found BSJB");
}

}  // namespace
}  // namespace symcached::fetch
