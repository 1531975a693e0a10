#include "worker/pool.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <fstream>
#include <future>

#include "base/overloaded.hpp"
#include "base/sanitizers.hpp"
#include "net/run_task.hpp"
#include "testing/server/faulty_worker.hpp"
#include "testing/server/process.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Limits kRoomy{std::uint64_t{1} << 30, 1 << 20, seconds(60), seconds(60)};

std::string describe(const Result& result) {
  return std::visit(
      overloaded{[](const Done& d) { return "done: " + d.note; }, [](const Refused& r) { return "refused: " + r.why; },
                 [](const Died& d) { return "died: " + d.why; }, [](const Changed& c) { return "changed: " + c.why; },
                 [](const SinkFailed& s) { return "sink: " + s.why; },
                 [](const NotRun& n) { return "not run: " + n.why; }},
      result);
}

class PoolTest : public ::testing::Test {
 protected:
  Pool& start(PoolOptions options = {}) {
    if (options.command.empty()) options.command = faulty_worker();
    if (options.processes == 0) options.processes = 1;
    pool_.reset();
    pool_.emplace(std::move(options), [this](Severity, const std::string& line) {
      const std::scoped_lock lock(mutex_);
      log_ += line + "\n";
    });
    return *pool_;
  }
  std::string run(Job job) {
    output_.clear();
    return describe(run_task(pool_->run(std::move(job), [this](Bytes piece) -> std::expected<void, std::string> {
      output_ += as_text(piece);
      return {};
    })));
  }
  std::string run(std::uint32_t kind, std::string_view arguments, Limits limits = kRoomy) {
    return run(Job{.kind = kind, .arguments = std::string(arguments), .limits = limits});
  }
  Input open(const std::string& name, bool may_be_touched = false) {
    return {std::make_shared<const Descriptor>(::open((folder_.path() / name).c_str(), O_RDONLY | O_CLOEXEC)),
            may_be_touched};
  }

  TempFolder folder_;
  std::mutex mutex_;
  std::string log_;
  std::string output_;
  std::optional<Pool> pool_;
};

TEST_F(PoolTest, DoesJobsOneAfterTheOtherInOneProcess) {
  Pool& pool = start();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run(kEchoJob, "number " + std::to_string(i)), "done: echoed");
    EXPECT_EQ(output_, "number " + std::to_string(i));
  }
  EXPECT_EQ(run(kRefuseJob, "no"), "refused: refused: no");
  EXPECT_EQ(pool.stats().started, 1u);
  EXPECT_EQ(pool.stats().jobs, 101u);
}

TEST_F(PoolTest, WhatGoesWrongCostsOneJob) {
  Limits brief = kRoomy;
  brief.deadline = milliseconds(200);
  Limits little_time = kRoomy;
  little_time.processor = seconds(1);
  struct Row {
    std::string_view word;
    Limits limits;
    std::string_view want;
  };
  const Row rows[] = {
      {kCrash, kRoomy, kSanitized ? "died: " : "died: ended with signal 11 (Segmentation fault)"},
      {kHang, brief, "died: took longer than 0.2 s"},
      {kSpin, little_time, "died: exceeded 1 s of CPU time"},
      {kEat, kRoomy, kSanitized ? "died: " : "died: ran out of memory, with 1024 MiB of address space"},
      {kThrow, kRoomy, "died: internal error: thrown on demand"},
      {kExit, kRoomy, "died: ended with exit status 7"},
  };
  Pool& pool = start();
  std::uint64_t died = 0;
  for (const Row& r : rows) {
    EXPECT_THAT(run(kEchoJob, r.word, r.limits), StartsWith(std::string(r.want))) << r.word;
    EXPECT_EQ(pool.stats().died, ++died) << r.word;
    EXPECT_EQ(run(kEchoJob, "after it"), "done: echoed") << r.word;
  }
  EXPECT_THAT(run(kFloodJob, ""), "died: produced more than 1048576 bytes");
  EXPECT_EQ(run(kGarbageJob, ""), "died: sent a malformed answer");
  EXPECT_EQ(run(77, ""), "died: internal error: map::at");
  EXPECT_EQ(run(kEchoJob, "after it"), "done: echoed");
}

TEST_F(PoolTest, AWorkerCannotReachAnythingElse) {
  start();
  if constexpr (kSanitized) {
    EXPECT_EQ(run(kEchoJob, "x"), "done: echoed");
    EXPECT_THAT(log_, HasSubstr("less isolated"));
  } else {
    EXPECT_EQ(run(kEscapeJob, ""), "done: ");
    EXPECT_EQ(log_, "");
  }
}

TEST_F(PoolTest, AFileCutOrChangedWhileItIsReadIsNoticed) {
  start();
  struct Row {
    std::string_view why;
    std::function<void(const std::filesystem::path&)> change;
    bool may_be_touched;
    std::string_view want;
  };
  Limits brief = kRoomy;
  brief.deadline = milliseconds(200);
  const Row rows[] = {
      {"cut", [](const auto& path) { std::filesystem::resize_file(path, 100); }, true, "changed: size changed from"},
      {"grown", [](const auto& path) { std::filesystem::resize_file(path, 2 << 20); }, true, "changed: size changed"},
      {"written", [](const auto& path) { std::fstream(path) << "x"; }, false, "changed: modified"},
      {"touched by us",
       [](const auto& path) { std::filesystem::last_write_time(path, std::filesystem::file_time_type::min()); }, true,
       "died: took longer"},
  };
  for (const Row& r : rows) {
    folder_.write("file", std::string(1 << 20, 'x'));
    const Job job{.kind = kReadSlowlyJob, .inputs = {open("file", r.may_be_touched)}, .limits = brief};
    const auto sink = [&](Bytes) -> std::expected<void, std::string> {
      r.change(folder_.path() / "file");
      return {};
    };
    EXPECT_THAT(describe(run_task(pool_->run(job, sink))), StartsWith(std::string(r.want))) << r.why;
  }
  EXPECT_EQ(run(kEchoJob, "after it"), "done: echoed");
}

TEST_F(PoolTest, ASinkThatFailsEndsTheJob) {
  start();
  const auto sink = [](Bytes) -> std::expected<void, std::string> { return std::unexpected("no space"); };
  EXPECT_EQ(describe(run_task(pool_->run({.kind = kFloodJob, .limits = kRoomy}, sink))), "sink: no space");
  EXPECT_EQ(run(kEchoJob, "after it"), "done: echoed");
}

TEST_F(PoolTest, ReplacesWorkersThatAreWornOrGone) {
  Pool& pool = start({.jobs_per_process = 2});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(run(kEchoJob, "x"), "done: echoed");
  EXPECT_GE(pool.stats().started, 3u);
  EXPECT_LE(pool.stats().started, 4u);
  Pool& grows = start({.max_resident = 1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(kEchoJob, "x"), "done: echoed");
  EXPECT_GE(grows.stats().started, 3u);
  EXPECT_EQ(grows.stats().died, 0u);
}

TEST_F(PoolTest, SaysWhyNoWorkerCanBeStarted) {
  start({.command = {"/nowhere/symcached"}});
  EXPECT_THAT(run(kEchoJob, "x"), AnyOf(HasSubstr("No such file"), HasSubstr("ended before its first job")));
  start({.command = {"/bin/true"}});
  EXPECT_THAT(run(kEchoJob, "x"), HasSubstr("ended before its first job: exit status 0"));
}

TEST_F(PoolTest, WithoutDescriptorsNothingRunsAndNothingDies) {
  boost::asio::io_context context;  // has its descriptors before there are no more
  std::string got;
  {
    const NoDescriptors none;
    boost::asio::co_spawn(context, start().run({.kind = kEchoJob, .arguments = "x", .limits = kRoomy}, {}),
                          [&](std::exception_ptr, const Result& result) { got = describe(result); });
    context.run();
  }
  EXPECT_EQ(got, "not run: cannot start a worker process: Too many open files");
  EXPECT_EQ(run(kEchoJob, "x"), "done: echoed");
}

TEST_F(PoolTest, StopEndsWhatRunsAndWhatWaits) {
  Pool& pool = start();
  boost::asio::thread_pool waiters(1);
  std::vector<std::future<std::string>> results;
  for (const std::string_view word : {kHang, kHang, kHang}) {
    const auto promise = std::make_shared<std::promise<std::string>>();
    results.push_back(promise->get_future());
    boost::asio::co_spawn(waiters, pool.run({kEchoJob, std::string(word), {}, kRoomy}, {}),
                          [promise](std::exception_ptr, const Result& r) { promise->set_value(describe(r)); });
  }
  while (pool.stats().jobs == 0 || pool.stats().queued < 2) std::this_thread::yield();
  pool.stop();
  for (auto& result : results) EXPECT_THAT(result.get(), StartsWith("not run: ")) << "one of three";
  EXPECT_THAT(run(kEchoJob, "late"), StartsWith("not run: "));
  EXPECT_EQ(children(), 0u);
}

}  // namespace
}  // namespace symcached::worker
