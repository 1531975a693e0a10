#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <span>

#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/stack_counter.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kSlots = 64;  ///< threads asked at a time
constexpr int kSlotBits = 8;
constexpr std::int64_t kPatience = 500'000'000;  ///< nanoseconds for each such group

enum class Phase : std::uint64_t { asked = 1, writing = 2, written = 3 };

/// Where one thread writes its stack. The state is the number of the question and its phase: a thread that answers
/// after the time is over finds another number.
struct Slot {
  std::atomic<std::uint64_t> state{0};
  std::size_t depth = 0;
  std::array<std::uintptr_t, kMaxFrames> frames;
};

// Never destroyed: an answer may be late.
std::array<Slot, kSlots> slots;
sem_t answers;
std::atomic<std::uint64_t> questions{0};
std::atomic<int> signal_used{0};
std::atomic<pid_t> asking{0};  ///< the process; a child that is forked meanwhile has another id

std::uint64_t state_of(std::uint64_t question, Phase phase) {
  return question << 2 | static_cast<std::uint64_t>(phase);
}

void on_question(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE || info->si_pid != ::getpid()) return;
  const int error = errno;
  const auto value = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
  const std::uint64_t question = value >> kSlotBits;
  Slot& slot = slots[value % kSlots];
  std::uint64_t expected = state_of(question, Phase::asked);
  if (slot.state.compare_exchange_strong(expected, state_of(question, Phase::writing))) {
    slot.depth = walk_interrupted_stack(context, slot.frames);
    slot.state.store(state_of(question, Phase::written), std::memory_order_release);
    ::sem_post(&answers);
  }
  errno = error;
}

/// A real-time signal that nobody handles; the one of last time while it is still ours. 0 if there is none.
int choose_signal() {
  const auto handled_by = [](int signal, struct sigaction& now) { return ::sigaction(signal, nullptr, &now) == 0; };
  struct sigaction now{};
  const int last = signal_used.load();
  if (last != 0 && handled_by(last, now) && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_question)
    return last;
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
    if (!handled_by(signal, now) || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours{};
    ours.sa_sigaction = on_question;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    if (::sigaction(signal, &ours, nullptr) != 0) continue;
    signal_used = signal;
    return signal;
  }
  return 0;
}

bool ask(pid_t thread, int signal, std::uint64_t question, std::size_t slot) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(question << kSlotBits | slot);
  slots[slot].state.store(state_of(question, Phase::asked));
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, signal, &info) == 0;
}

void wait_for_answers(std::size_t count, std::uint64_t question) {
  timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (until.tv_nsec + kPatience) / 1'000'000'000;
  until.tv_nsec = (until.tv_nsec + kPatience) % 1'000'000'000;
  const auto missing = [&](const Slot& slot) { return slot.state.load() == state_of(question, Phase::asked); };
  while (std::ranges::any_of(std::span(slots).first(count), missing))
    if (::sem_clockwait(&answers, CLOCK_MONOTONIC, &until) != 0 && errno == ETIMEDOUT) return;
}

/// Asks at most kSlots threads. @return how many did not answer
std::int64_t ask_all(std::span<const pid_t> threads, int signal, StackCounter& out) {
  const std::uint64_t question = questions.fetch_add(1) + 1;
  for (std::size_t i = 0; i < threads.size(); ++i)
    if (!ask(threads[i], signal, question, i)) slots[i].state = 0;  // it has ended
  wait_for_answers(threads.size(), question);
  std::int64_t silent = 0;
  for (Slot& slot : std::span(slots).first(threads.size())) {
    std::uint64_t expected = state_of(question, Phase::asked);
    if (slot.state.compare_exchange_strong(expected, 0)) ++silent;  // from now on its answer is too late
    if (expected == state_of(question, Phase::asked) || expected == 0) continue;
    while (slot.state.load(std::memory_order_acquire) == state_of(question, Phase::writing)) ::sched_yield();
    if (slot.frames[0] != 0) out.add({slot.frames.begin(), slot.frames.begin() + slot.depth}, 1);
  }
  return silent;
}

}  // namespace

Answer<Profile> threads_profile() {
  if (!unwinder_problem().empty()) return std::unexpected(Refusal{501, unwinder_problem()});
  pid_t other = asking.load();
  if (other == ::getpid() || !asking.compare_exchange_strong(other, ::getpid()))
    return std::unexpected(Refusal{409, "the threads are just being asked for their stacks", 1});
  struct Done {
    ~Done() { asking = 0; }
  } done;
  const int signal = choose_signal();
  if (signal == 0) return std::unexpected(Refusal{409, "the program has handlers for all real-time signals"});
  ::sem_init(&answers, 0, 0);

  Profile profile{.kind = Kind::threads, .start = std::chrono::system_clock::now()};
  std::vector<pid_t> threads = own_threads();
  std::erase(threads, this_thread());
  StackCounter stacks;
  std::array<std::uintptr_t, kMaxFrames> own;
  const std::size_t depth = walk_stack(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), own);
  stacks.add({own.begin(), own.begin() + depth}, 1);
  for (std::span<const pid_t> left = threads; !left.empty();) {
    const std::span group = left.first(std::min(left.size(), kSlots));
    profile.lost += ask_all(group, signal, stacks);
    left = left.subspan(group.size());
  }
  profile.samples = stacks.samples(0);
  return profile;
}

}  // namespace symcached::pprof
