#pragma once
/// Work dealt to several threads that all end before the caller goes on.
#include <cstddef>
#include <functional>

namespace symcached {

/// Threads that this machine runs at once; at least 1.
unsigned hardware_threads();

/// Calls `work(i)` for every i below `count`: 0 on the calling thread, the others each on one of its own. `work` takes
/// from a queue that all share, so that nothing is left undone where fewer threads can be started.
/// An exception, such as that there is no memory, is thrown again once all have ended; the first if there are several.
void run_on_threads(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace symcached
