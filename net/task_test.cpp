#include "net/task.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "net/run_task.hpp"

namespace symcached {
namespace {

using Number = std::unique_ptr<int>;  // can only be moved
using Start = std::function<void(std::function<void(Number)>)>;

Task<int> value_of(Start start) {
  const Number number = co_await await_callback<Number>(std::move(start));
  co_return *number;
}

TEST(AwaitCallback, FromTheSameThread) {
  const Start start = [](const std::function<void(Number)>& done) { done(std::make_unique<int>(7)); };
  EXPECT_EQ(run_task(value_of(start)), 7);
}

/// The event loop is gone when the task is done, and the thread that called back still has the callback.
TEST(AwaitCallback, TheEventLoopMayBeDestroyedBeforeTheCallback) {
  std::promise<void> loop_is_gone;
  std::thread thread;
  const Start start = [&](std::function<void(Number)> done) {
    thread = std::thread([done = std::move(done), gone = loop_is_gone.get_future()] {
      done(std::make_unique<int>(7));
      gone.wait();
    });
  };
  EXPECT_EQ(run_task(value_of(start)), 7);
  loop_is_gone.set_value();
  thread.join();
}

/// Nor may the thread be within the event loop when that goes. The sanitizers see it, if they are lucky.
TEST(AwaitCallback, TheEventLoopMayBeDestroyedAtOnce) {
  for (int i = 0; i < 500; ++i) {
    std::thread thread;
    const Start start = [&thread, i](std::function<void(Number)> done) {
      thread = std::thread([done = std::move(done), i] { done(std::make_unique<int>(i)); });
    };
    EXPECT_EQ(run_task(value_of(start)), i);
    thread.join();
  }
}

}  // namespace
}  // namespace symcached
