#include "transcode/remote_transcoders.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "testing/server/eventually.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::transcode {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kThree[] = {3};
constexpr std::uint32_t kFour[] = {4};
constexpr wpt::Version kVersion{3, 1, 0};
const DebugId kId{*Guid::parse("3249d99d0c4049318610f4e4fb0b6936"), 1};

class RemoteTranscodersTest : public ::testing::Test {
 protected:
  RemoteTranscodersTest() : remote_(options()) {}
  ~RemoteTranscodersTest() override {
    remote_.stop();
    pool_.join();
  }
  RemoteOptions options() {
    RemoteOptions options{.rules = {.lease = seconds(10), .longest = seconds(100), .attempts = 2, .most_jobs = 3}};
    options.patience = seconds(50);
    options.output_limit = 1000;
    options.now = [this] { return RemoteTime(now_.load()); };
    options.log = [](Severity, const std::string&) {};
    return options;
  }

  /// A job as the service offers it, and what comes of it.
  std::future<Transcoded> offer(const std::string& name, std::uint32_t major_part = 3) {
    folder_.write("pdb", "the PDB");
    const std::filesystem::path job = folder_.path() / ("job-" + name);
    std::filesystem::create_directory(job);
    TranscodeJob given{.pdb_name = name, .id = kId, .folder = JobFolder(job)};
    const Descriptor pdb(::open((folder_.path() / "pdb").c_str(), O_RDONLY | O_CLOEXEC));
    given.pdb = {std::make_shared<const Descriptor>(::dup(pdb.get())), 4, 3};
    return boost::asio::co_spawn(pool_, remote_.run(std::move(given), major_part), boost::asio::use_future);
  }
  /// The lease of a job that is about to be there.
  std::string leased(std::span<const std::uint32_t> majors = kThree) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
      const auto given = remote_.take("worker", majors);
      if (given && *given) id = (*given)->lease.id;
      return !id.empty();
    }));
    return id;
  }
  bool has_job() {
    const auto given = remote_.take("worker", kThree);
    return given && given->has_value();
  }
  void pass(seconds time) { now_ = now_.load() + time; }
  std::string why(std::future<Transcoded>& result) {
    const Transcoded ended = result.get();
    if (const auto* not_run = std::get_if<NotRun>(&ended)) return not_run->why;
    const auto* failed = std::get_if<Failed>(&ended);
    return failed != nullptr ? "failed: " + failed->why : "made";
  }

  TempFolder folder_;
  std::atomic<RemoteTime::duration> now_{RemoteTime::duration(seconds(1000))};
  boost::asio::thread_pool pool_{1};
  RemoteTranscoders remote_;
};

TEST_F(RemoteTranscodersTest, AJobEndsWithTheFileThatArrived) {
  auto result = offer("app.pdb");
  const std::string lease = leased();
  const auto pdb = remote_.pdb(lease);
  ASSERT_TRUE(pdb);
  char bytes[4]{};
  EXPECT_EQ(::pread(pdb->file->get(), bytes, pdb->size, static_cast<off_t>(pdb->offset)), 3);
  EXPECT_EQ(std::string(bytes), "PDB");

  const auto cut = remote_.begin_upload(lease, kVersion, 100);
  ASSERT_TRUE(cut);
  const auto whole = remote_.begin_upload(lease, kVersion, 8);
  ASSERT_TRUE(whole);
  EXPECT_EQ(::write((*whole)->descriptor(), "symcache", 8), 8);
  EXPECT_TRUE(remote_.complete(lease, kVersion, **whole));

  const Transcoded ended = result.get();
  const auto* made = std::get_if<Made>(&ended);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->version, kVersion);
  EXPECT_EQ(std::filesystem::file_size(made->file), 8u);
  EXPECT_FALSE(remote_.renew(lease)) << "it has ended";
}

TEST_F(RemoteTranscodersTest, UploadsThatAreNotCompletedLeaveNothing) {
  auto result = offer("app.pdb");
  const std::string lease = leased();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(remote_.begin_upload(lease, kVersion, 100)) << i;
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "job-app.pdb"));
  EXPECT_TRUE(remote_.renew(lease)) << "the lease is as it was";
}

TEST_F(RemoteTranscodersTest, WhatARequestIsRefusedFor) {
  auto result = offer("app.pdb");
  const std::string lease = leased();
  struct Row {
    std::string_view lease;
    wpt::Version version;
    std::size_t why;  ///< index of Unknown, Stopping, NoSpace, OtherVersion; kFine: it is taken
  };
  constexpr std::size_t kFine = 9;
  const Row rows[] = {{lease, {3, 2, 1}, kFine},
                      {lease, {4, 0, 0}, 3},
                      {lease, {2, 9, 0}, 3},
                      {"00000000000000000000000000000000", {3, 1, 0}, 0},
                      {"", {3, 1, 0}, 0}};
  for (const Row& r : rows) {
    const auto upload = remote_.begin_upload(r.lease, r.version, 1);
    EXPECT_EQ(upload ? kFine : upload.error().index(), r.why) << r.lease << ' ' << r.version.to_string();
  }
}

TEST_F(RemoteTranscodersTest, AFailureIsToldInTheWorkersWords) {
  auto result = offer("app.pdb");
  EXPECT_TRUE(remote_.fail(leased(), "exit status 1: \x1b[31m"));
  EXPECT_EQ(why(result), "failed: exit status 1: \\x1b[31m");
}

TEST_F(RemoteTranscodersTest, ALeaseThatRunsOutGoesToTheNextAndThenIsLost) {
  auto result = offer("app.pdb");
  const std::string first = leased();
  pass(seconds(9));
  EXPECT_TRUE(remote_.renew(first));
  pass(seconds(9));
  EXPECT_FALSE(has_job()) << "it was renewed";
  pass(seconds(2));
  const std::string second = leased();
  EXPECT_NE(second, first);
  EXPECT_FALSE(remote_.pdb(first)) << "the first worker has lost it";
  pass(seconds(11));
  EXPECT_FALSE(has_job());
  EXPECT_EQ(why(result), "2 workers took it, and none came back with it");
}

TEST_F(RemoteTranscodersTest, ATransferKeepsItsLeaseButNotForEver) {
  auto result = offer("app.pdb");
  const std::string lease = leased();
  auto pdb = remote_.pdb(lease);
  ASSERT_TRUE(pdb);
  for (int i = 0; i < 11; ++i) {
    EXPECT_FALSE(has_job()) << i;
    pass(seconds(9));
  }
  pass(seconds(2));
  EXPECT_NE(leased(), lease) << "the longest that a job may take is over";
}

TEST_F(RemoteTranscodersTest, WithoutWorkersAJobIsGivenUp) {
  auto three = offer("app.pdb");
  auto four = offer("app.pdb", 4);
  const std::string lease = leased(kFour);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(remote_.renew(lease));
    pass(seconds(9));
  }
  EXPECT_TRUE(remote_.renew(lease));
  EXPECT_EQ(why(three), "no worker has asked for a job for 50 s");
  EXPECT_FALSE(has_job());
}

TEST_F(RemoteTranscodersTest, TheSameAgainAndTooManyAreNotTaken) {
  auto first = offer("a.pdb");
  leased();
  auto again = offer("A.PDB");
  EXPECT_EQ(why(again), "it waits for a worker already");
  auto second = offer("b.pdb"), third = offer("c.pdb"), fourth = offer("d.pdb");
  EXPECT_EQ(why(fourth), "too many jobs wait for workers");
}

TEST_F(RemoteTranscodersTest, StoppingEndsWhatWaits) {
  auto waiting = offer("a.pdb");
  const std::string lease = leased();
  remote_.stop();
  EXPECT_EQ(why(waiting), "the server is shutting down");
  auto late = offer("b.pdb");
  EXPECT_EQ(why(late), "the server is shutting down");
  const auto renewed = remote_.renew(lease);
  EXPECT_TRUE(!renewed && std::holds_alternative<Stopping>(renewed.error()));
}

}  // namespace
}  // namespace symcached::transcode
