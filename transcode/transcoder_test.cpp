#include "transcode/transcoder.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/overloaded.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const DebugId kId{*Guid::parse("3249d99d0c4049318610f4e4fb0b6936"), 0x1a};
constexpr std::uint64_t kOutputLimit = 1 << 20;

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Fixture {
  TempFolder folder;
  JobFolders jobs{folder.path() / "jobs"};
  TranscoderConfig config{.announced = {3, 1, 0},
                          .command = {SC_FAKE_TRANSCODER, "-pdb", "{pdb}"},
                          .timeout = 30s,
                          .output_limit = kOutputLimit};
  std::mutex mutex;
  std::vector<std::string> log;

  TranscodeJob job(std::string_view name) {
    folder.write("original", "3249D99D0C4049318610F4E4FB0B69361A\n");
    auto file = std::make_shared<const Descriptor>(::open((folder.path() / "original").c_str(), O_RDONLY | O_CLOEXEC));
    return {{file, 0, 35}, std::string(name), kId, jobs.create().value()};
  }
  Log keep() {
    return [this](Severity, const std::string& line) {
      const std::scoped_lock lock(mutex);
      log.push_back(line);
    };
  }
  Transcoded run(std::string_view name) {
    Transcoder transcoder(config, {SC_TRANSCODE_KEEPER}, keep());
    return run(transcoder, job(name));
  }
  static Transcoded run(Transcoder& transcoder, TranscodeJob what) {
    boost::asio::io_context loop;
    std::optional<Transcoded> result;
    boost::asio::co_spawn(loop, transcoder.run(std::move(what)),
                          [&](std::exception_ptr, Transcoded done) { result = std::move(done); });
    loop.run();
    return std::move(*result);
  }
};

/// "made 3.1.0: content", "failed: why (output)", …
std::string told(const Transcoded& result) {
  return std::visit(overloaded{[](const Made& m) { return "made " + m.version.to_string() + ": " + read_file(m.file); },
                               [](const Failed& f) { return "failed: " + f.why + " (" + f.output + ")"; },
                               [](const TimedOut& t) { return "timed out (" + t.output + ")"; },
                               [](const TooBig& t) { return "too big: " + t.why; },
                               [](const NotRun& n) { return "not run: " + n.why; }},
                    result);
}

TEST(Transcoder, EveryWayToEnd) {
  struct Row {
    std::string_view name, want;
  };
  const Row rows[] = {
      {"app.pdb", "made 3.1.0: symcache of app.pdb"},
      {"one_name.pdb", "made 3.1.0: in one name"},
      {"leaves_child.pdb", "made 3.1.0: symcache of leaves_child.pdb"},
      {"exit_1.pdb", "failed: exit status 1 (cannot open the PDB:\\x1b[31m bad\\x07)"},
      {"signal.pdb", "failed: signal 11 (Segmentation fault) ()"},
      {"exit_0_with_nothing.pdb", "failed: it wrote no symcache ()"},
      {"empty.pdb", "failed: what it wrote is not used: \"empty.pdb-v3.1.0.symcache\" is empty ()"},
      {"symlink.pdb",
       "failed: what it wrote is not used: \"symlink.pdb-v3.1.0.symcache\" is a link, or no plain file ()"},
      {"hard_link.pdb",
       "failed: what it wrote is not used: \"hard_link.pdb-v3.1.0.symcache\" is a link, or no plain file ()"},
      {"fifo.pdb", "failed: what it wrote is not used: \"fifo.pdb-v3.1.0.symcache\" is a link, or no plain file ()"},
      {"other_pdb.pdb", "failed: what it wrote is not used: \"other_pdb.pdb-v3.1.0.symcache\" is of another PDB ()"},
      {"fills_folder.pdb", "too big: it wrote more than 1048576 bytes"},
  };
  Fixture f;
  for (const Row& r : rows) EXPECT_EQ(told(f.run(r.name)), r.want);
  EXPECT_THAT(told(f.run("two_versions.pdb")), AllOf(StartsWith("failed: "), HasSubstr("is not the only symcache")));
  EXPECT_THAT(told(f.run("fills_file.pdb")), StartsWith("too big: "));
}

TEST(Transcoder, AnotherVersionThanAnnouncedIsKeptAsWhatItIs) {
  Fixture f;
  Transcoder transcoder(f.config, {SC_TRANSCODE_KEEPER}, f.keep());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(told(Fixture::run(transcoder, f.job("other_version.pdb"))), "made 3.2.1: of another version");
  EXPECT_THAT(f.log, ElementsAre(HasSubstr("fake_symcachegen.py makes version 3.2.1, not 3.1.0 as configured")));
}

TEST(Transcoder, IsEndedAfterItsTime) {
  Fixture f;
  f.config.timeout = 100ms;
  EXPECT_THAT(told(f.run("hang.pdb")), StartsWith("timed out"));
}

TEST(Transcoder, NothingOutlivesIt) {
  Fixture f;
  Transcoder transcoder(f.config, {SC_TRANSCODE_KEEPER}, f.keep());
  TranscodeJob job = f.job("hang_with_child.pdb");
  std::string pid;
  std::jthread stopper([&, file = job.folder.path() / "out/pid"](const std::stop_token& ended) {
    while (!fs::exists(file) && !ended.stop_requested()) std::this_thread::yield();
    pid = read_file(file);
    transcoder.stop();
  });
  EXPECT_THAT(told(Fixture::run(transcoder, std::move(job))), StartsWith("not run"));
  stopper.join();
  ASSERT_NE(pid, "");
  EXPECT_NE(::kill(std::stoi(pid), 0), 0) << "it ignores signals, in a session of its own";
}

TEST(Transcoder, HasLimits) {
  Fixture f;
  f.config.command = {"/bin/sh", "-c", "ulimit -t; ulimit -c; ulimit -f; ulimit -v; exit 1", "{pdb}"};
  f.config.processor = 7s;
  f.config.memory_limit = 1 << 30;
  EXPECT_EQ(told(f.run("app.pdb")), "failed: exit status 1 (7\\x0a0\\x0a2048\\x0a1048576)");  // blocks of 512, KiB
}

TEST(Transcoder, StopEndsWhatRuns) {
  Fixture f;
  Transcoder transcoder(f.config, {SC_TRANSCODE_KEEPER}, f.keep());
  TranscodeJob job = f.job("hang.pdb");
  std::jthread stopper([&, out = job.folder.path() / "out/hang.pdb"](const std::stop_token& ended) {
    while (!fs::exists(out) && !ended.stop_requested()) std::this_thread::yield();
    transcoder.stop();
  });
  EXPECT_EQ(told(Fixture::run(transcoder, std::move(job))), "not run: the server is shutting down");
  EXPECT_EQ(told(Fixture::run(transcoder, f.job("app.pdb"))), "not run: the server is shutting down");
}

TEST(Transcoder, AProgramThatCannotBeStartedSaysNothingOfThePdb) {
  Fixture f;
  f.config.command = {"/no/such/symcachegen", "{pdb}"};
  f.config.folder = "/";
  EXPECT_EQ(told(f.run("app.pdb")), "not run: cannot start /no/such/symcachegen: No such file or directory");
  f.config.folder = "/no/such";
  EXPECT_EQ(told(f.run("app.pdb")), "not run: cannot start a process: No such file or directory");
  Transcoder transcoder(f.config, {"/no/such/keeper"}, f.keep());
  EXPECT_EQ(told(Fixture::run(transcoder, f.job("app.pdb"))),
            "not run: cannot start a process: No such file or directory");
}

TEST(Transcoder, GetsLittle) {
  Fixture f;
  ::setenv("SECRET", "hidden", 1);
  ::setenv("_NT_SYMBOL_PATH", "srv*https://elsewhere", 1);
  f.config.environment = {"WINEPREFIX=/srv/wine"};
  TranscodeJob job = f.job("tells.pdb");
  const std::string place = job.folder.path();
  Transcoder transcoder(f.config, {SC_TRANSCODE_KEEPER}, f.keep());
  const Transcoded result = Fixture::run(transcoder, std::move(job));
  ::unsetenv("_NT_SYMBOL_PATH");
  const std::string output = std::get<Failed>(result).output;
  for (const std::string& row :
       {"arguments: -pdb " + place + "/pdb/tells.pdb", "folder: " + fs::path(SC_FAKE_TRANSCODER).parent_path().string(),
        std::string("stdin: ''"), "_NT_SYMCACHE_PATH=" + place + "/out", "_NT_SYMBOL_PATH=" + place + "/symbols",
        "TMPDIR=" + place + "/tmp", std::string("WINEPREFIX=/srv/wine"),
        std::string("descriptors: 0 1 2 3")})  // 3: the folder of descriptors being listed
    EXPECT_THAT(output, HasSubstr(row));
  EXPECT_THAT(output, AllOf(Not(HasSubstr("SECRET")), Not(HasSubstr("descriptors: 0 1 2 3 4"))));
}

TEST(Transcoder, KeepsTheEndOfWhatItPrints) {
  Fixture f;
  EXPECT_THAT(told(f.run("floods.pdb")), StartsWith("made"));
  f.config.command = {"/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x; echo the end; exit 1", "{pdb}"};
  const Transcoded result = f.run("app.pdb");
  const std::string& output = std::get<Failed>(result).output;
  EXPECT_LE(output.size(), 4096u);
  EXPECT_TRUE(output.ends_with("xxxthe end")) << output.substr(output.size() - 20);
}

TEST(Transcoder, HasNoNetwork) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {::htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string name = "network." + std::to_string(::ntohs(address.sin_port)) + ".pdb";
  Fixture f;
  const std::string without = told(f.run(name));
  if (f.log.empty()) EXPECT_THAT(without, StartsWith("made"));
  else EXPECT_THAT(f.log, ElementsAre(HasSubstr("does not let us take it away")));
  f.config.has_network = true;
  EXPECT_THAT(told(f.run(name)), HasSubstr("reached the network"));
}

TEST(Transcoder, SeveralAtOnce) {
  Fixture f;
  Transcoder transcoder(f.config, {SC_TRANSCODE_KEEPER}, f.keep());
  boost::asio::io_context loop;
  std::vector<std::string> results;
  for (int i = 0; i < 8; ++i)
    boost::asio::co_spawn(loop, transcoder.run(f.job("app.pdb")),
                          [&](std::exception_ptr, Transcoded done) { results.push_back(told(done)); });
  loop.run();
  EXPECT_THAT(results, ::testing::AllOf(::testing::SizeIs(8), ::testing::Each("made 3.1.0: symcache of app.pdb")));
}

TEST(Transcoder, LeavesNothingBehind) {
  Fixture f;
  f.run("writes_outside.pdb");
  f.run("exit_1.pdb");
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(f.folder.path() / "jobs"))
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, ::testing::IsSupersetOf({"outside"})) << "what is written outside goes with the run";
  EXPECT_THAT(left, Not(::testing::Contains("beside")));
}

}  // namespace
}  // namespace symcached::transcode
