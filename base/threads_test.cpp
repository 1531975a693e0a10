#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

namespace symcached {
namespace {

TEST(RunOnThreads, EveryNumberOnce) {
  for (const std::size_t count : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> calls(count);
    run_on_threads(count, [&](std::size_t i) { ++calls[i]; });
    EXPECT_TRUE(std::ranges::all_of(calls, [](const auto& n) { return n == 1; })) << count;
  }
}

TEST(RunOnThreads, AnExceptionOfAnyThreadIsTheCallers) {
  for (const std::size_t thrower : {0u, 3u}) {
    std::atomic<int> finished = 0;
    const auto work = [&](std::size_t i) {
      if (i == thrower) throw std::bad_alloc();
      ++finished;
    };
    EXPECT_THROW(run_on_threads(4, work), std::bad_alloc) << thrower;
    EXPECT_EQ(finished, 3) << "all others have ended";
  }
}

}  // namespace
}  // namespace symcached
