#pragma once
/// One sink, several threads.
#include <cstddef>
#include <functional>

#include "model/module.hpp"

namespace symcached::object {

/// Calls `work` on up to `threads` threads at once: with `sink` itself, and with sinks that it forks for the others and
/// joins again once all have ended. With fewer threads where `sink` has no fork to give. `work` takes from a queue that
/// all share; an exception of it is thrown again.
void run_on_forks(model::ModuleSink& sink, std::size_t threads, const std::function<void(model::ModuleSink&)>& work);

}  // namespace symcached::object
