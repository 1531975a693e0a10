#pragma once
/// A coroutine run to its end by a test.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "net/task.hpp"

namespace symcached {

template <class T>
T run_task(Task<T> task) {
  boost::asio::io_context context;
  std::optional<T> result;
  boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr fault, T value) {
    if (fault) std::rethrow_exception(fault);
    result = std::move(value);
  });
  context.run();
  return std::move(*result);
}

}  // namespace symcached
