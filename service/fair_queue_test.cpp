#include "service/fair_queue.hpp"

#include <gtest/gtest.h>

namespace symcached::service {
namespace {

std::string drain(FairQueue<std::string>& queue) {
  std::string all;
  while (!queue.empty()) all += queue.pop() + " ";
  return all;
}

TEST(FairQueue, ScopesTakeTurns) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3", "a4"}) queue.push("a", item);
  queue.push("b", "b1");
  queue.push("b", "b2");
  queue.push("c", "c1");
  EXPECT_EQ(queue.size(), 7u);
  EXPECT_EQ(drain(queue), "a1 b1 c1 a2 b2 a3 a4 ");
}

TEST(FairQueue, WhoComesBackWaitsForTheOthers) {
  FairQueue<std::string> queue;
  queue.push("a", "a1");
  queue.push("b", "b1");
  EXPECT_EQ(queue.pop(), "a1");
  queue.push("a", "a2");
  EXPECT_EQ(drain(queue), "b1 a2 ");
  queue.push("a", "a3");
  EXPECT_EQ(drain(queue), "a3 ");
}

}  // namespace
}  // namespace symcached::service
