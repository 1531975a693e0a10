#pragma once
/// Shows on a terminal that long work goes on; silent in a pipe and while work is short.
#include <condition_variable>
#include <mutex>
#include <string>
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

 private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace symcached::app
