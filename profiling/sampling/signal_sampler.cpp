#include "profiling/sampling/signal_sampler.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/signal_recorder.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kScanEvery{50};
constexpr std::chrono::milliseconds kScanAtLeastEvery{500};
constexpr std::int64_t kFew = 4;  ///< samples that a thread may owe at the end without having given as many
constexpr int kScanShare = 200;   ///< between those two, looking for threads takes one part in so many of the time
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
  const std::unordered_set<pid_t>& threads() const { return threads_; }

 private:
  Trigger& trigger_;
  int session_;
  std::unordered_set<pid_t> threads_;
};

/// What each thread gave, of what it has to give.
class Account {
 public:
  Account(Trigger& trigger, SignalSamples& out) : trigger_(trigger), out_(out) {}

  void drain(SignalRecorder& recorder) {
    for (SampleRing& ring : recorder.rings)
      ring.drain([&](std::uint64_t weight, pid_t thread, const std::vector<std::uintptr_t>& stack) {
        Given& given = given_[thread];
        given.last = stack;
        auto count = static_cast<std::int64_t>(weight);
        if (const auto due = trigger_.due(thread)) {
          const std::int64_t owed = std::max<std::int64_t>(0, *due - given.count);
          count = weight == 0 ? owed : std::min(count, owed);
        }
        add(given, count);
      });
  }
  void ask_for_owed(const std::unordered_set<pid_t>& threads, int session) {
    for (const pid_t thread : threads)
      if (const auto due = trigger_.due(thread); due && *due > given_[thread].count && is_runnable(thread))
        signal_late_sample(thread, session);
  }
  /// After all threads were stopped, and the last drain.
  void settle() {
    std::int64_t taken = 0;
    for (auto& [thread, given] : given_) {
      if (const auto due = trigger_.due(thread); due && *due > given.count) {
        const std::int64_t owed = *due - given.count;
        const std::int64_t added = given.last.empty() ? 0 : std::min(owed, std::max(given.count, kFew));
        out_.lost += owed - added;
        add(given, added);
      }
      taken += given.count;
    }
    out_.lost += trigger_.missed(taken);
  }

 private:
  struct Given {
    std::int64_t count = 0;
    std::vector<std::uintptr_t> last;
  };

  void add(Given& given, std::int64_t count) {
    if (count == 0) return;
    given.count += count;
    if (!out_.stacks.add(given.last, count)) out_.lost += count;
  }

  Trigger& trigger_;
  SignalSamples& out_;
  std::unordered_map<pid_t, Given> given_;
};

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
  Account account(trigger, out);
  Recording recording(make_recorder(claim.number(), trigger.is_timer()));
  {
    Followed threads(trigger, claim.number());
    for (;;) {
      const std::int64_t before = own_cpu_time();
      const int error = threads.update();
      if (threads.threads().empty()) return std::unexpected(trigger.refusal(error));
      account.ask_for_owed(threads.threads(), claim.number());
      const std::chrono::nanoseconds rest{(own_cpu_time() - before) * kScanShare};
      const bool going = wait_until(
          std::min(end, Clock::now() + std::clamp<std::chrono::nanoseconds>(rest, kScanEvery, kScanAtLeastEvery)),
          stop);
      account.drain(recording.recorder());
      if (!going || Clock::now() >= end) break;
    }
    out.duration = Clock::now() - start;
  }
  recording.end();
  account.drain(recording.recorder());
  account.settle();
  out.lost += recording.recorder().lost;
  return out;
}

}  // namespace symcached::pprof
