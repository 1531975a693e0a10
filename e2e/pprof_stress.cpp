/// pprof_stress SECONDS: all samplers at once, over threads that come and go, wait for each other, allocate, fork, and
/// load and unload a library; then 1,000 CPU profiles, which must leave no descriptors, timers or memory behind.
/// Prints how many profiles were taken and refused. Exit status: 0 all is well.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"

namespace {

using namespace symcached::pprof;
using std::chrono::milliseconds;

std::atomic<long> taken{0}, refused{0};
std::mutex mutex;
std::shared_mutex read_write;
std::map<int, std::string> shared;
long shared_by_writer = 0;

void work(int seed) {
  for (int i = 0; i < 200; ++i) {
    const std::lock_guard guard(mutex);
    shared[(seed * 31 + i) % 500] = std::string(static_cast<std::size_t>(i) + 1, 'x');
  }
  const std::shared_lock reading(read_write);
}

void fork_once() {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)threads_profile();
    ::_exit(cpu_profile({.duration = milliseconds(5), .frequency = 1000}, {}) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (status != 0) std::fprintf(stderr, "a child ended with %d\n", status), std::_Exit(1);
}

void load_once() {
  if (void* library = ::dlopen("libpfm.so.4", RTLD_NOW)) ::dlclose(library);
}

void count(const Answer<Profile>& profile) {
  ++(profile ? taken : refused);
  if (profile || profile.error().status == 409 || profile.error().status == 501 || profile.error().status == 503)
    return;
  std::fprintf(stderr, "refused with %d: %s\n", profile.error().status, profile.error().reason.c_str());
  std::_Exit(1);
}

void all_at_once(std::chrono::seconds time) {
  const std::function<void(int)> loops[] = {
      work,
      work,
      [](int seed) { std::jthread([&] { work(seed); }); },
      [](int) {
        const std::lock_guard writing(read_write);
        shared_by_writer += 1;
      },
      [](int) { load_once(); },
      [](int i) { count(cpu_profile({.duration = milliseconds(i % 50 + 1), .frequency = 1000}, {})); },
      [](int i) { count(pmu_profile({.event = "cpu-clock", .duration = milliseconds(i % 50 + 1)}, {})); },
      [](int) { count(heap_profile()); },
      [](int) { count(growth_profile()); },
      [](int) { count(contention_profile({}, {})); },
      [](int i) { count(contention_profile(milliseconds(i % 20 + 1), {})); },
      [](int) { count(threads_profile()); },
  };
  std::vector<std::jthread> threads;
  for (const auto& loop : loops)
    threads.emplace_back([&loop](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) loop(i);
    });
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    // The sanitizers' own locks may be held by another thread when it forks, and the child needs them.
    if (!symcached::kSanitized) fork_once();
    std::this_thread::sleep_for(milliseconds(20));
  }
}

long resident_pages() {
  std::ifstream file("/proc/self/statm");
  long size = 0, resident = 0;
  file >> size >> resident;
  return resident;
}

long descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

bool cycles() {
  const std::jthread busy([](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) work(i);
  });
  long pages = 0, files = 0;
  for (int i = 0; i < 1000; ++i) {
    if (i == 100) pages = resident_pages(), files = descriptors();  // what is made once is there by then
    count(cpu_profile({.duration = milliseconds(2), .frequency = 4000}, {}));
  }
  std::printf("after 900 more profiles: %+ld pages, %+ld descriptors\n", resident_pages() - pages,
              descriptors() - files);
  return descriptors() == files && (symcached::kSanitized || resident_pages() - pages < 500);
}

}  // namespace

int main(int argument_count, char** arguments) {
  all_at_once(std::chrono::seconds(argument_count > 1 ? std::atoi(arguments[1]) : 10));
  std::printf("%ld profiles, %ld refused\n", taken.load(), refused.load());
  return cycles() ? 0 : 1;
}
