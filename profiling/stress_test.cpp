/// Every page of this process at once, of servers that come and go, by clients that mostly do not wait for the end.
/// A second long; SYMCACHED_STRESS_SECONDS=60 makes it a minute.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "profiling/server.hpp"

namespace symcached::pprof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTargets[] = {
    "/debug/pprof/profile?seconds=5",
    "/pprof/profile?seconds=5&frequency=1000",
    "/debug/pprof/heap",
    "/pprof/heap",
    "/debug/pprof/heap?seconds=5",
    "/debug/pprof/allocs?debug=1",
    "/pprof/growth",
    "/debug/pprof/mutex",
    "/pprof/contention?seconds=5",
    "/debug/pprof/pmuprofile?event=cpu-clock&seconds=5",
    "/debug/pprof/threads",
    "/pprof/threads",
    "/pprof/cmdline",
    "/pprof/symbol",
    "/debug/pprof/",
};

Clock::time_point end_of_test() {
  const char* const seconds = std::getenv("SYMCACHED_STRESS_SECONDS");
  return Clock::now() + std::chrono::seconds(seconds == nullptr ? 1 : std::atoi(seconds));
}

/// Takes CPU time, memory and locks, and begins and ends threads.
class Program {
 public:
  explicit Program(const std::stop_token& end) {
    for (int i = 0; i < 3; ++i)
      threads_.emplace_back([this, end] {
        while (!end.stop_requested()) std::jthread([this] { work(); }).join();
      });
  }

 private:
  void work() {
    for (int i = 0; i < 200; ++i) {
      const std::scoped_lock lock(mutex_);
      kept_ = std::make_unique<char[]>(64 << 10);
      for (int k = 0; k < 1000; ++k) sum_.fetch_add(k, std::memory_order_relaxed);
    }
  }
  std::mutex mutex_;
  std::unique_ptr<char[]> kept_;
  std::atomic<int> sum_ = 0;
  std::vector<std::jthread> threads_;  ///< the first to be destroyed
};

TEST(Stress, EveryPageAtOnce) {
  const auto end = end_of_test();
  std::stop_source ending;
  Program program(ending.get_token());
  const Handlers handlers(this_process());
  std::atomic<int> answers = 0;
  std::vector<std::jthread> clients;
  for (std::size_t first = 0; first < 6; ++first)
    clients.emplace_back([&, first] {
      for (std::size_t i = first; Clock::now() < end; ++i) {
        std::stop_source gone;
        std::jthread impatient([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(5 * (i % 7)));
          gone.request_stop();
        });
        const PageResponse page =
            handlers.handle({.target = kTargets[i % std::size(kTargets)], .stop = gone.get_token()});
        EXPECT_GE(page.status, 200);
        answers.fetch_add(1);
      }
    });
  while (Clock::now() < end) {
    const auto server = HttpServer::start({}, this_process());
    ASSERT_TRUE(server) << server.error();
  }
  clients.clear();
  ending.request_stop();
  EXPECT_GT(answers, 0);
}

}  // namespace
}  // namespace symcached::pprof
