#pragma once
/// What the system knows of this process.
#include <cstdint>

namespace symcached::app {

struct ProcessStats {
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_files = 0, max_open_files = 0;
  double cpu_seconds = 0;
  double start_seconds = 0;  ///< when the process began, since 1970
};

/// Cost: three files of /proc. What cannot be read is 0.
ProcessStats process_stats();

}  // namespace symcached::app
