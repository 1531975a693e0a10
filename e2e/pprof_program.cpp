// A program whose profiles are known: functions that take 60, 30 and 10 % of the CPU time, memory in use of 80 and 20
// %, a thread that waits for a lock. It prints its port, if it is built with a server, and ends with its standard
// input.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
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

__attribute__((noinline)) void allocate_eighty(Blocks& blocks) {
  for (int i = 0; i < 64; ++i) blocks.push_back(std::make_unique<char[]>(1 << 20));
}

__attribute__((noinline)) void allocate_twenty(Blocks& blocks) {
  for (int i = 0; i < 1024; ++i) blocks.push_back(std::make_unique<char[]>(16 << 10));
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

}  // namespace sample

int main() {
  sample::Blocks blocks;
  sample::allocate_eighty(blocks);
  sample::allocate_twenty(blocks);
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
  while (::read(STDIN_FILENO, &c, 1) > 0) {
  }
  sample::ending = true;
  for (std::thread& thread : threads) thread.join();
}
