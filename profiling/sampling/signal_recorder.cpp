#include "profiling/sampling/signal_recorder.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <thread>
#include <utility>

#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

// All of this is constant-initialised and never destroyed: a signal may come before main and while the program ends.
std::atomic<SignalRecorder*> recording{nullptr};
std::atomic<int> handlers_running{0};
std::atomic<bool> claimed{false};
std::atomic<int> sessions{0};
thread_local sigset_t mask_before_fork;
thread_local bool masked_for_fork = false;

bool is_ours(const SignalRecorder& recorder, const siginfo_t& info) {
  if (recorder.by_timer) return info.si_code == SI_TIMER && info.si_value.sival_int == recorder.session;
  return info.si_code == POLL_IN || info.si_code == POLL_HUP || info.si_code == SI_SIGIO;
}

void record(SignalRecorder& recorder, const siginfo_t& info, const void* context) noexcept {
  if (!is_ours(recorder, info)) return;
  const int overrun = recorder.by_timer ? std::max(info.si_overrun, 0) : 0;
  const std::uint64_t weight = 1 + static_cast<std::uint64_t>(overrun);
  const std::uintptr_t address = interrupted_address(context);
  std::array<std::uintptr_t, kMaxFrames> frames;
  const std::size_t ring = (pthread_self() * 0x9e3779b97f4a7c15) >> 61;
  static_assert(std::tuple_size_v<decltype(recorder.rings)> == 8);
  if (address == 0 ||
      !recorder.rings[ring].push(weight, std::span(frames).first(walk_interrupted_stack(context, frames))))
    recorder.lost.fetch_add(static_cast<std::int64_t>(weight), std::memory_order_relaxed);
}

void on_signal(int, siginfo_t* info, void* context) {
  const int error = errno;
  handlers_running.fetch_add(1);
  if (SignalRecorder* recorder = recording.load()) record(*recorder, *info, context);
  handlers_running.fetch_sub(1);
  errno = error;
}

// A big process takes longer to fork than two signals are apart, and the kernel begins again after each.
void hold_signal_back() {
  if (recording.load(std::memory_order_relaxed) == nullptr) return;
  sigset_t profiling;
  ::sigemptyset(&profiling);
  ::sigaddset(&profiling, SIGPROF);
  masked_for_fork = ::pthread_sigmask(SIG_BLOCK, &profiling, &mask_before_fork) == 0;
}

void let_signal_through() {
  if (masked_for_fork) ::pthread_sigmask(SIG_SETMASK, &mask_before_fork, nullptr);
  masked_for_fork = false;
}

// The child has neither the timers nor the thread that reads what they record.
void in_child() {
  recording.store(nullptr);
  handlers_running.store(0);
  claimed.store(false);
  let_signal_through();
}

void watch_forks() {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) ::pthread_atfork(hold_signal_back, let_signal_through, in_child);
}

}  // namespace

void UnmapRecorder::operator()(SignalRecorder* recorder) const noexcept { ::munmap(recorder, sizeof *recorder); }

RecorderPointer make_recorder(int session, bool by_timer) {
  void* memory = ::mmap(nullptr, sizeof(SignalRecorder), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return RecorderPointer(new (memory) SignalRecorder(session, by_timer));
}

Recording::Recording(RecorderPointer recorder) : recorder_(std::move(recorder)) {
  watch_forks();
  recording.store(recorder_.get());
}

void Recording::end() {
  if (std::exchange(ended_, true)) return;
  recording.store(nullptr);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (handlers_running.load() != 0) {
    if (std::chrono::steady_clock::now() > give_up) {
      // A debugger keeps a thread in its handler: that one may write later.
      recorder_.release();  // NOLINT(bugprone-unused-return-value)
      recorder_ = make_recorder(0, false);
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

std::expected<void, Refusal> install_signal_handler() {
  struct sigaction now{};
  ::sigaction(SIGPROF, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal) return {};
  if ((now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))
    return std::unexpected(Refusal{409, "the program handles SIGPROF itself, as another profiler does; stop that one"});
  struct sigaction ours{};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&ours.sa_mask);
  if (::sigaction(SIGPROF, &ours, nullptr) != 0)
    return std::unexpected(Refusal{500, "SIGPROF cannot be given a handler"});
  return {};
}

SessionClaim::SessionClaim() {
  if (!claimed.exchange(true)) number_ = sessions.fetch_add(1) + 1;
}

SessionClaim::~SessionClaim() {
  if (number_ != 0) claimed.store(false);
}

}  // namespace symcached::pprof
