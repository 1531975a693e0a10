#pragma once
/// Tasks that run side by side.
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "net/task.hpp"

namespace symcached {

namespace detail {

template <class T>
struct Gathering {
  struct Slot {
    T result = {};
    std::exception_ptr fault = nullptr;
  };
  std::vector<Task<T>> tasks;
  std::vector<Slot> slots;
  std::atomic<std::size_t> left;
  std::function<void(bool)> done;

  static void start(const std::shared_ptr<Gathering>& all, const boost::asio::any_io_executor& executor) {
    for (std::size_t i = 0; i < all->tasks.size(); ++i)
      boost::asio::co_spawn(executor, std::move(all->tasks[i]), [all, i](std::exception_ptr fault, T result) {
        all->slots[i] = {std::move(result), fault};
        if (all->left.fetch_sub(1) == 1) std::exchange(all->done, nullptr)(true);
      });
  }
};

}  // namespace detail

/// What each of the tasks gives, in their order, when all have ended. They run on the executor of the caller. What the
/// first of them threw is thrown.
/// @param T  can be made without arguments
template <class T>
Task<std::vector<T>> all_of(std::vector<Task<T>> tasks) {
  std::vector<T> results;
  if (tasks.empty()) co_return results;
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto all = std::make_shared<detail::Gathering<T>>();
  all->slots.resize(tasks.size());
  all->left = tasks.size();
  all->tasks = std::move(tasks);
  std::function<void(std::function<void(bool)>)> start = [all, executor](std::function<void(bool)> done) {
    all->done = std::move(done);
    detail::Gathering<T>::start(all, executor);
  };
  co_await await_callback<bool>(std::move(start));
  for (auto& slot : all->slots) {
    if (slot.fault) std::rethrow_exception(slot.fault);
    results.push_back(std::move(slot.result));
  }
  co_return results;
}

}  // namespace symcached
