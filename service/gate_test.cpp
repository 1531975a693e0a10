#include "service/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/thread_pool.hpp>
#include <thread>

namespace symcached::service {
namespace {

Task<void> visit(Gate& gate, std::atomic<int>& inside, std::atomic<int>& most, std::atomic<int>& visits) {
  const auto pass = co_await gate.enter();
  const int now = ++inside;
  for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
  std::this_thread::yield();
  --inside;
  ++visits;
}

TEST(Gate, LetsNoMoreInThanItMayAndEverybodyInTheEnd) {
  boost::asio::thread_pool pool(4);
  Gate gate(3);
  std::atomic<int> inside = 0, most = 0, visits = 0;
  for (int i = 0; i < 1000; ++i) boost::asio::co_spawn(pool, visit(gate, inside, most, visits), boost::asio::detached);
  pool.join();
  EXPECT_EQ(visits, 1000);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace symcached::service
