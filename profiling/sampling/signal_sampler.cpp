#include "profiling/sampling/signal_sampler.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <unordered_set>

#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/signal_recorder.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kScanEvery{50};
constexpr std::chrono::milliseconds kScanAtLeastEvery{500};
constexpr int kScanShare = 200;  ///< between those two, looking for threads takes one part in so many of the time
std::atomic<Clock::rep> ends_at{0};

/// The threads for which the trigger is started.
class Followed {
 public:
  Followed(Trigger& trigger, int session) : trigger_(trigger), session_(session) {}
  ~Followed() {
    for (const pid_t thread : threads_) trigger_.stop(thread);
  }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  /// Starts it for threads that are new. @return the errno of the last that could not be followed, or 0
  int update() {
    const std::vector<pid_t> now = own_threads();
    std::erase_if(threads_, [&](pid_t thread) {
      const bool gone = !std::ranges::binary_search(now, thread) || !trigger_.alive(thread);
      if (gone) trigger_.stop(thread);
      return gone;
    });
    int error = now.empty() ? ENOENT : 0;
    for (const pid_t thread : now) {
      if (threads_.contains(thread)) continue;
      const int failed = trigger_.start(thread, session_);
      if (failed == 0) threads_.insert(thread);
      if (failed != 0 && failed != ESRCH) error = failed;
    }
    return error;
  }
  bool empty() const { return threads_.empty(); }

 private:
  Trigger& trigger_;
  int session_;
  std::unordered_set<pid_t> threads_;
};

void drain(SignalRecorder& recorder, SignalSamples& out, std::int64_t& taken) {
  for (SampleRing& ring : recorder.rings) {
    ring.drain([&](std::uint64_t weight, const std::vector<std::uintptr_t>& stack) {
      const auto count = static_cast<std::int64_t>(weight);
      taken += count;
      if (!out.stacks.add(stack, count)) out.lost += count;
    });
  }
}

std::int64_t own_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

Refusal busy() {
  const auto left = Clock::duration(ends_at.load()) - Clock::now().time_since_epoch();
  const auto seconds = std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(left).count());
  return {409, "another profile is being taken; they share one signal", static_cast<int>(seconds)};
}

}  // namespace

Answer<SignalSamples> sample_by_signal(Trigger& trigger, std::chrono::nanoseconds duration,
                                       const std::stop_token& stop) {
  if (!unwinder_problem().empty()) return std::unexpected(Refusal{501, unwinder_problem()});
  const SessionClaim claim;
  if (!claim) return std::unexpected(busy());
  if (const auto installed = install_signal_handler(); !installed) return std::unexpected(installed.error());

  SignalSamples out{.start = std::chrono::system_clock::now()};
  const auto start = Clock::now();
  const auto end = start + duration;
  ends_at = end.time_since_epoch().count();
  std::int64_t taken = 0;
  Recording recording(make_recorder(claim.number(), trigger.is_timer()));
  {
    Followed threads(trigger, claim.number());
    for (;;) {
      const std::int64_t before = own_cpu_time();
      const int error = threads.update();
      if (threads.empty()) return std::unexpected(trigger.refusal(error));
      const std::chrono::nanoseconds rest{(own_cpu_time() - before) * kScanShare};
      const bool going = wait_until(
          std::min(end, Clock::now() + std::clamp<std::chrono::nanoseconds>(rest, kScanEvery, kScanAtLeastEvery)),
          stop);
      drain(recording.recorder(), out, taken);
      if (!going || Clock::now() >= end) break;
    }
    out.duration = Clock::now() - start;
  }
  recording.end();
  drain(recording.recorder(), out, taken);
  out.lost += trigger.missed(taken);
  out.lost += recording.recorder().lost;
  return out;
}

}  // namespace symcached::pprof
