#pragma once
/// Time as downloads see it: tests have their own.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <functional>

#include "net/task.hpp"

namespace symcached::fetch {

struct Waits {
  using Clock = std::chrono::steady_clock;
  std::function<Clock::time_point()> now;
  std::function<Task<void>(std::chrono::milliseconds)> sleep;

  static Waits real() {
    return {Clock::now, [](std::chrono::milliseconds time) -> Task<void> {
              boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
              co_await timer.async_wait(boost::asio::use_awaitable);
            }};
  }
};

}  // namespace symcached::fetch
