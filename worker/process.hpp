#pragma once
/// One worker process as its parent sees it. Private to `worker/`.
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace symcached::worker {

/// Bounds of one job.
struct Limits {
  std::uint64_t address_space;         ///< bytes: program, libraries, the mapped file and all memory
  std::uint64_t max_output;            ///< bytes of the result
  std::chrono::seconds processor;      ///< time of computing
  std::chrono::milliseconds deadline;  ///< from start to end, whatever it does
};

class Process {
 public:
  /// Starts `command` with an empty environment, signals as at the start of a program, its channel at kChannel and no
  /// other descriptor of ours, in a process group of its own.
  static std::expected<Process, std::string> start(std::span<const std::string> command);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  ///< kills it and waits

  int channel() const { return channel_.get(); }
  pid_t pid() const { return pid_; }
  /// Counted from now for the processor time.
  void limit(const Limits& limits) const;
  /// Bytes in memory now; 0 if it cannot be told.
  std::uint64_t resident() const;
  bool ended();  ///< without waiting

  /// Ends it if it has not ended. @return what it ended of: "signal 11 (Segmentation fault)", "exit status 1"
  std::string end();
  int last_signal() const;  ///< after it ended: the signal it ended of, or 0

 private:
  Process(pid_t pid, Descriptor channel) : pid_(pid), channel_(std::move(channel)) {}

  pid_t pid_ = -1;  ///< -1: waited for, or moved from
  int status_ = 0;
  Descriptor channel_;
};

}  // namespace symcached::worker
