#pragma once
/// How many threads a pool has. Private to `service/`.
#include <algorithm>
#include <thread>

namespace symcached::service {

/// @param wanted  0: one per processor
inline unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace symcached::service
