#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <random>
#include <string>
#include <unordered_map>

#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/signal_sampler.hpp"

namespace symcached::pprof {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr unsigned kMaxFrequency = 4000;

timespec to_timespec(std::int64_t nanoseconds) { return {nanoseconds / kSecond, nanoseconds % kSecond}; }

/// The clock of the CPU time of any thread of this process, as the kernel encodes it: clock_getres(2) names the call
/// for processes, and there is none for threads but one's own.
clockid_t cpu_clock(pid_t thread) {
  constexpr unsigned kScheduledTimeOfThread = 6;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kScheduledTimeOfThread);
}

std::int64_t cpu_time(pid_t thread) {
  timespec time{};
  if (::clock_gettime(cpu_clock(thread), &time) != 0) return 0;
  return time.tv_sec * kSecond + time.tv_nsec;
}

/// A timer on the CPU time of each thread.
class CpuTimers : public Trigger {
 public:
  explicit CpuTimers(std::int64_t period) : period_(period) {}

  int start(pid_t thread, int session) override {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_int = session;
    event._sigev_un._tid = thread;
    timer_t timer{};
    if (::timer_create(cpu_clock(thread), &event, &timer) != 0) return errno == EINVAL ? ESRCH : errno;
    // The first is at any moment of a period: threads that begin together are not sampled together.
    const std::int64_t first = std::uniform_int_distribution<std::int64_t>(1, period_)(random_);
    const itimerspec times{to_timespec(period_), to_timespec(first)};
    if (::timer_settime(timer, 0, &times, nullptr) != 0) {
      const int error = errno;
      ::timer_delete(timer);
      return error;
    }
    timers_[thread] = timer;
    if (blocks_signal(thread, SIGPROF)) deaf_[thread] = cpu_time(thread);
    return 0;
  }
  void stop(pid_t thread) override {
    if (const auto timer = timers_.extract(thread)) ::timer_delete(timer.mapped());
    // What it has used while it blocked SIGPROF; all do so for a moment when they begin.
    if (const auto deaf = deaf_.extract(thread); deaf && blocks_signal(thread, SIGPROF))
      missed_ += std::max<std::int64_t>(0, cpu_time(thread) - deaf.mapped()) / period_;
  }
  bool alive(pid_t thread) override {
    itimerspec left{};
    return ::timer_gettime(timers_.at(thread), &left) == 0 && (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0);
  }
  bool is_timer() const override { return true; }
  std::int64_t missed(std::int64_t) override { return missed_; }
  Refusal refusal(int error) override {
    if (error == EAGAIN)
      return {503, "the kernel has no more timers for this user; raise the limit of pending signals (ulimit -i)"};
    if (error == ENOENT) return {501, "there is no /proc/self/task, where the threads of the program are found"};
    return {500, "no timer could be set on a thread's CPU time: error " + std::to_string(error)};
  }

 private:
  std::int64_t period_;
  std::int64_t missed_ = 0;
  std::unordered_map<pid_t, timer_t> timers_;
  std::unordered_map<pid_t, std::int64_t> deaf_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace

Answer<Profile> cpu_profile(CpuOptions options, std::stop_token stop) {
  if (options.frequency < 1 || options.frequency > kMaxFrequency)
    return std::unexpected(Refusal{400, "frequency must be 1 to 4000 samples a second"});
  if (options.duration.count() <= 0) return std::unexpected(Refusal{400, "the duration must be above 0"});
  const std::int64_t period = kSecond / options.frequency;
  CpuTimers timers(period);
  const Answer<SignalSamples> taken = sample_by_signal(timers, options.duration, stop);
  if (!taken) return std::unexpected(taken.error());
  Profile profile{.kind = Kind::cpu, .samples = taken->stacks.samples(period), .period = period};
  profile.lost = taken->lost;
  profile.start = taken->start;
  profile.duration = taken->duration;
  return profile;
}

}  // namespace symcached::pprof
