#pragma once
/// Shows on a terminal that long work goes on; silent in a pipe and while work is short.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace symcached::app {

/// From its construction to its end. After a second a line on stderr says what is being done and for how long, and is
/// wiped at the end. Does nothing when stderr is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// How much is done of how much, in any unit; until it is known the line says only that something is going on. From
  /// any thread.
  void at(std::uint64_t done, std::uint64_t total) {
    done_ = done;
    total_ = total;
  }
  /// A line on stdout, on a terminal above the one that shows the progress. From any thread.
  void print(std::string_view line);

 private:
  void show();

  std::string what_;
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace symcached::app
