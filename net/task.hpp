#pragma once
/// The one coroutine type of the program, and the bridge from callbacks to it.
#include <atomic>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace symcached {

template <class T>
using Task = boost::asio::awaitable<T>;

/// A coroutine that waits for a callback. The thread that calls back may be slow to leave the coroutine's event loop;
/// it is waited for, because the coroutine may be the last thing that keeps the loop from being destroyed.
template <class T, class Handler, class Executor>
class CallbackWait {
 public:
  CallbackWait(Handler handler, Executor executor) : handler_(std::move(handler)), executor_(std::move(executor)) {}

  static void resume(const std::shared_ptr<CallbackWait>& self, T value) {
    self->value_.emplace(std::move(value));
    boost::asio::post(*self->executor_, [self] { self->run(); });
    self->executor_.reset();
    self->has_left_.store(true, std::memory_order_release);
    self->has_left_.notify_one();
  }

 private:
  void run() {
    has_left_.wait(false, std::memory_order_acquire);
    Handler handler = std::move(*handler_);
    handler_.reset();
    handler(std::move(*value_));
  }

  std::optional<Handler> handler_;
  std::optional<Executor> executor_;  ///< keeps the loop running
  std::optional<T> value_;
  std::atomic<bool> has_left_ = false;
};

/// Waits for `start`'s callback, which may come from any thread, once. The coroutine goes on where it was, when the
/// thread that called back has nothing more to do with its event loop.
/// `start` is a variable of the caller, moved: GCC 12 destroys the captures of a lambda twice that is written within a
/// co_await expression (tools/check_lines.py finds such).
template <class T>
Task<T> await_callback(std::function<void(std::function<void(T)>)> start) {
  namespace asio = boost::asio;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(T)>(
      [](auto handler, std::function<void(std::function<void(T)>)> run) {
        auto executor = asio::prefer(asio::get_associated_executor(handler), asio::execution::outstanding_work.tracked);
        using Wait = CallbackWait<T, decltype(handler), decltype(executor)>;
        const auto wait = std::make_shared<Wait>(std::move(handler), std::move(executor));
        run([wait](T value) { Wait::resume(wait, std::move(value)); });
      },
      asio::use_awaitable, std::move(start));
}

}  // namespace symcached
