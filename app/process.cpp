#include "app/process.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace symcached::app {

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

std::size_t jobs_for(std::size_t max_files) {
  constexpr std::size_t kApart = 256;  ///< as net/ leaves at most to the rest of the process
  constexpr std::size_t kAlways = 40;  ///< threads, listeners, workers, the log
  constexpr std::size_t kEach = 4;     ///< an original, an entry being written, a download
  const std::size_t apart = std::min(kApart, max_files / 2);
  return std::max<std::size_t>(2, apart > kAlways ? (apart - kAlways) / kEach : 0);
}

}  // namespace symcached::app
