#pragma once
/// How many threads a pool has. Private to `service/`.
#include "base/threads.hpp"

namespace symcached::service {

/// @param wanted  0: one per processor
inline unsigned thread_count(unsigned wanted) { return wanted != 0 ? wanted : hardware_threads(); }

}  // namespace symcached::service
