#pragma once
/// The one coroutine type of the program, and the bridge from callbacks to it.
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>

namespace symcached {

template <class T>
using Task = boost::asio::awaitable<T>;

/// Waits for `start`'s callback, which may come from any thread, once. The coroutine goes on where it was.
/// `start` is a variable of the caller, moved: GCC 12 destroys the captures of a lambda twice that is written within a
/// co_await expression (tools/check_lines.py finds such).
template <class T>
Task<T> await_callback(std::function<void(std::function<void(T)>)> start) {
  namespace asio = boost::asio;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(T)>(
      [](auto handler, std::function<void(std::function<void(T)>)> run) {
        const auto executor =
            asio::prefer(asio::get_associated_executor(handler), asio::execution::outstanding_work.tracked);
        const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        run([shared, executor](T value) {
          asio::post(executor, [shared, kept = std::make_shared<T>(std::move(value))] {
            auto resume = std::move(*shared);
            resume(std::move(*kept));
          });
        });
      },
      asio::use_awaitable, std::move(start));
}

}  // namespace symcached
