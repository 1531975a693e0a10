#pragma once
/// Lets so many coroutines at once into what costs much; the others wait in their order. Private to `service/`.
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "net/task.hpp"

namespace symcached::service {

/// Safe to use from any thread. Outlives all who wait; who is in may outlive it.
class Gate {
  using Timer = std::shared_ptr<boost::asio::steady_timer>;
  struct State {
    std::mutex mutex;
    std::size_t free = 0;
    std::list<Timer> waiting;
  };

 public:
  explicit Gate(std::size_t at_once) : state_(std::make_shared<State>()) { state_->free = at_once; }

  /// Somebody who is in, until it is dropped.
  class Pass {
   public:
    explicit Pass(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Pass(Pass&&) noexcept = default;
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (state_) leave(*state_);
    }

   private:
    std::shared_ptr<State> state_;  ///< null: moved from
  };

  Task<Pass> enter() {
    const auto state = state_;
    const auto executor = co_await boost::asio::this_coro::executor;
    for (;;) {
      const auto timer = std::make_shared<boost::asio::steady_timer>(executor, std::chrono::hours(24));
      {
        const std::scoped_lock lock(state->mutex);
        if (state->free != 0) {
          --state->free;
          co_return Pass(state);
        }
        state->waiting.push_back(timer);
      }
      boost::system::error_code ignored;
      co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
  }

 private:
  /// Moving the expiry to the past also wakes one that is on the list but has not begun its wait.
  static void leave(State& state) {
    const std::scoped_lock lock(state.mutex);
    ++state.free;
    if (state.waiting.empty()) return;
    const Timer next = std::move(state.waiting.front());
    state.waiting.pop_front();
    boost::asio::post(next->get_executor(), [next] { next->expires_at(std::chrono::steady_clock::time_point::min()); });
  }

  std::shared_ptr<State> state_;
};

}  // namespace symcached::service
