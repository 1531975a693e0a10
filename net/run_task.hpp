#pragma once
/// A coroutine run to its end by a thread that has nothing else to do.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "net/task.hpp"

namespace symcached {

/// Blocks; throws what the coroutine throws.
template <class T>
T run_task(Task<T> task) {
  boost::asio::io_context context(1);
  std::optional<T> result;
  boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr fault, T value) {
    if (fault) std::rethrow_exception(fault);
    result.emplace(std::move(value));
  });
  context.run();
  return std::move(*result);
}

}  // namespace symcached
