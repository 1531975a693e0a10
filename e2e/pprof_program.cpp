// A program whose profiles are known: functions that take 60, 30 and 10 % of the CPU time and of the memory in use, one
// whose memory is free again, a thread that waits for a lock. It prints its port, if it is built with a server, and
// ends with its standard input. Asked to by a letter there, it does more and prints a line when that is done: a
// allocates 20 MiB w  waits for locks of which it knows how long it waited; the line says how many nanoseconds at each
// place
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifdef WITH_SERVER
#include <symcached/pprof.hpp>
#endif

namespace sample {

std::atomic<bool> ending = false;
std::atomic<unsigned> sink = 0;

/// The same amount of time each, wherever it is inlined.
inline void spend(int units) {
  unsigned value = sink;
  for (int i = 0; i < units * 20'000; ++i) value = value * 1664525u + 1013904223u;
  sink = value;
}

__attribute__((noinline)) void hot_sixty() { spend(6); }
__attribute__((noinline)) void hot_thirty() { spend(3); }
__attribute__((noinline)) void hot_ten() { spend(1); }

__attribute__((noinline)) void work() {
  while (!ending) {
    hot_sixty();
    hot_thirty();
    hot_ten();
  }
}

using Blocks = std::vector<std::unique_ptr<char[]>>;

/// Inlined, as a last call would leave no frame of its caller.
[[gnu::always_inline]] inline void allocate(Blocks& blocks, int count, std::size_t size) {
  for (int i = 0; i < count; ++i) blocks.push_back(std::make_unique_for_overwrite<char[]>(size));
}

// Of many sizes, so that shares are right only if what is not sampled is counted for.
__attribute__((noinline)) void allocate_sixty(Blocks& blocks) { allocate(blocks, 60, 1 << 20); }
__attribute__((noinline)) void allocate_thirty(Blocks& blocks) { allocate(blocks, 30 * 16, 64 << 10); }
__attribute__((noinline)) void allocate_ten(Blocks& blocks) { allocate(blocks, 10 * 128, 8 << 10); }
__attribute__((noinline)) void allocate_more(Blocks& blocks) { allocate(blocks, 20, 1 << 20); }

/// As much as those three together, in pieces that are freed at once.
__attribute__((noinline)) void allocate_and_free(Blocks& blocks) {
  for (int i = 0; i < 100; ++i) {
    allocate(blocks, 1, 1 << 20);
    blocks.clear();
  }
}

std::mutex mutex;

__attribute__((noinline)) void hold_the_lock() {
  const std::scoped_lock lock(mutex);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

__attribute__((noinline)) void wait_for_the_lock() { const std::scoped_lock lock(mutex); }

void hold() {
  while (!ending) {
    hold_the_lock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void wait() {
  while (!ending) {
    wait_for_the_lock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::mutex known_lock;
long long waited[3] = {};  ///< nanoseconds, of each of the following

inline long long timed_wait() {
  const auto start = std::chrono::steady_clock::now();
  const std::scoped_lock lock(known_lock);
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
}

__attribute__((noinline)) void wait_sixty() { waited[0] += timed_wait(); }
__attribute__((noinline)) void wait_thirty() { waited[1] += timed_wait(); }
__attribute__((noinline)) void wait_ten() { waited[2] += timed_wait(); }

/// Waits for a lock that another thread holds for about that long.
void wait_once(void (*wait)(), int milliseconds) {
  std::latch is_held(1);
  std::thread holder([&] {
    const std::scoped_lock lock(known_lock);
    is_held.count_down();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  });
  is_held.wait();
  wait();
  holder.join();
}

void wait_often() {
  for (int i = 0; i < 140; ++i) {
    wait_once(wait_sixty, 6);
    wait_once(wait_thirty, 3);
    wait_once(wait_ten, 1);
  }
  std::printf("%lld %lld %lld\n", waited[0], waited[1], waited[2]);
}

void obey(char letter, Blocks& blocks) {
  if (letter == 'a') allocate_more(blocks), std::puts("allocated");
  if (letter == 'w') wait_often();
  std::fflush(stdout);
}

}  // namespace sample

int main() {
  sample::Blocks blocks;
  blocks.reserve(4096);               // here: of what is small, the one of many that is sampled would stand for all
  sample::allocate_and_free(blocks);  // first, as gperftools samples nothing of a program's first 16 MiB
  sample::allocate_sixty(blocks);
  sample::allocate_thirty(blocks);
  sample::allocate_ten(blocks);
#ifdef WITH_SERVER
  symcached::pprof::Server server;
  if (!server) std::fprintf(stderr, "%s\n", server.error().c_str());
  std::printf("%d\n", server.port());
#else
  std::puts("0");
#endif
  std::fflush(stdout);
  std::vector<std::thread> threads;
  for (void (*run)() : {sample::work, sample::work, sample::hold, sample::wait}) threads.emplace_back(run);
  char c = 0;
  while (::read(STDIN_FILENO, &c, 1) > 0) sample::obey(c, blocks);
  sample::ending = true;
  for (std::thread& thread : threads) thread.join();
}
