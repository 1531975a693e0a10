#pragma once
/// The handler of SIGPROF, and where it writes.
#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>

#include "profiling/sampling/profile.hpp"
#include "profiling/sampling/sample_ring.hpp"

namespace symcached::pprof {

/// What handlers write to during one session. Threads are spread over several rings.
struct SignalRecorder {
  SignalRecorder(int number, bool timer) : session(number), by_timer(timer) {}

  const int session;
  const bool by_timer;
  std::atomic<std::int64_t> lost{0};
  std::array<SampleRing, 8> rings;
};

struct UnmapRecorder {
  void operator()(SignalRecorder* recorder) const noexcept;
};
using RecorderPointer = std::unique_ptr<SignalRecorder, UnmapRecorder>;
/// In memory of its own. @throws std::bad_alloc
RecorderPointer make_recorder(int session, bool by_timer);

/// Has the handlers write to a recorder for as long as it lives.
class Recording {
 public:
  explicit Recording(RecorderPointer recorder);
  ~Recording() { end(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  SignalRecorder& recorder() { return *recorder_; }
  /// No handler writes to it any more when this returns.
  void end();

 private:
  RecorderPointer recorder_;
  bool ended_ = false;
};

/// Installs the handler unless it is there. @return refused with 409 if the program has its own
std::expected<void, Refusal> install_signal_handler();

/// The one session that may be under way in a process.
class SessionClaim {
 public:
  SessionClaim();
  ~SessionClaim();
  SessionClaim(const SessionClaim&) = delete;
  SessionClaim& operator=(const SessionClaim&) = delete;

  explicit operator bool() const { return number_ != 0; }
  int number() const { return number_; }

 private:
  int number_ = 0;
};

}  // namespace symcached::pprof
