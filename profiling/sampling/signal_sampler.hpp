#pragma once
/// Samples of all threads, which SIGPROF makes them take of themselves.
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <stop_token>

#include "profiling/sampling/profile.hpp"
#include "profiling/sampling/stack_counter.hpp"

namespace symcached::pprof {

/// What has the kernel send SIGPROF to a thread now and then.
class Trigger {
 public:
  virtual ~Trigger() = default;

  /// @param session  what a timer's signals must carry as their value
  /// @return 0, ESRCH if the thread has gone, or another errno
  virtual int start(pid_t thread, int session) = 0;
  virtual void stop(pid_t thread) = 0;
  /// False if the thread for which it was started has ended, whichever has its id now.
  virtual bool alive(pid_t thread) = 0;
  virtual bool is_timer() const = 0;
  /// Samples that should have been taken besides `taken`, and were not. Asked at the end, after all stops.
  virtual std::int64_t missed(std::int64_t taken) = 0;
  /// Why it could be started for no thread.
  virtual Refusal refusal(int error) = 0;
};

struct SignalSamples {
  StackCounter stacks;
  std::int64_t lost = 0;
  std::chrono::system_clock::time_point start{};
  std::chrono::nanoseconds duration{};
};

/// Threads that begin later are sampled, too, from within a tenth of a second.
/// SIGPROF keeps a handler afterwards, one that does nothing, so that a late signal does not end the program.
/// In a child that is forked meanwhile nothing is sampled.
/// @return refused with 409 while another one is under way, or the program handles SIGPROF itself
Answer<SignalSamples> sample_by_signal(Trigger& trigger, std::chrono::nanoseconds duration,
                                       const std::stop_token& stop);

}  // namespace symcached::pprof
