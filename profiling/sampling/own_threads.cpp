#include "profiling/sampling/own_threads.hpp"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

namespace symcached::pprof {

std::vector<pid_t> own_threads() {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, Close> folder(::opendir("/proc/self/task"));
  if (!folder) return threads;
  while (const dirent* entry = ::readdir(folder.get())) {
    pid_t thread = 0;
    const char* name = entry->d_name;
    if (std::from_chars(name, name + std::strlen(name), thread).ec == std::errc{}) threads.push_back(thread);
  }
  std::ranges::sort(threads);
  return threads;
}

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool blocks_signal(pid_t thread, int signal) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigBlk:")) continue;
    const std::size_t digits = line.find_first_not_of(" \t", 7);
    std::uint64_t mask = 0;
    if (digits != std::string::npos) std::from_chars(line.data() + digits, line.data() + line.size(), mask, 16);
    return (mask >> (signal - 1) & 1) != 0;
  }
  return false;
}

bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_until(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace symcached::pprof
