#include "app/process_metrics.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace symcached::app {
namespace {

const auto kStart = std::chrono::system_clock::now();

double seconds(const timeval& time) {
  constexpr double kMicroseconds = 1e6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kMicroseconds;
}

std::uint64_t files_in(const char* directory) {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) ++count;
  return count;
}

}  // namespace

ProcessStats process_stats() {
  ProcessStats stats;
  std::uint64_t pages = 0, resident_pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident_pages)
    stats.resident_bytes = resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  stats.open_files = files_in("/proc/self/fd");
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_open_files = limit.rlim_cur;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) stats.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  stats.start_seconds = std::chrono::duration<double>(kStart.time_since_epoch()).count();
  return stats;
}

}  // namespace symcached::app
