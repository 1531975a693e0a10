/// bench_pprof_plain, bench_pprof_linked, bench_pprof_hooked WORK [cpu|contention]: does some work of a fixed size and
/// prints the CPU time of the process in seconds. The first knows no profiler, the second has it linked, the third has
/// its malloc besides; with `cpu` a profile at 100 Hz is taken meanwhile, with `contention` waits are measured.
/// bench/pprof_cost.py compares them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#ifdef SC_PPROF_LINKED
#include "profiling/sampling/collect.hpp"
#endif

namespace {

std::uint64_t checksum = 0;

void compute() {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(20'000);
  for (int round = 0; round < 800; ++round) {
    std::ranges::generate(numbers, random);
    std::ranges::sort(numbers);
    checksum = std::accumulate(numbers.begin(), numbers.end(), checksum);
  }
}

/// Little but malloc and free: made-up words, put together, taken apart and thrown away.
void allocate() {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::map<std::string, std::vector<int>> places;
    for (int line = 0; line < 2'000; ++line) {
      std::string text;
      for (int word = 0; word < 10; ++word) text += "a longer word than fits " + std::to_string(random() % 500) + ";";
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find(';', at);
        places[text.substr(at, end - at)].push_back(line);
        at = end + 1;
      }
    }
    checksum += places.size();
  }
}

std::string text_of_words() {
  std::mt19937 random(1);
  std::string text;
  for (int word = 0; word < 20'000; ++word) {
    for (std::size_t left = 3 + random() % 24; left > 0; --left) text += static_cast<char>('A' + random() % 26);
    text += word % 12 == 0 ? '\n' : ' ';
  }
  return text;
}

/// An index of the words of a text, in lower case: allocates for nodes, for lists of lines and for the longer words.
void index_words() {
  const std::string text = text_of_words();
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, std::vector<int>> lines_of;
    std::string word;
    int line = 1;
    for (const char c : text) {
      if (c != ' ' && c != '\n') {
        word += static_cast<char>(c - 'A' + 'a');
        continue;
      }
      lines_of[std::move(word)].push_back(line);
      word = {};
      line += c == '\n';
    }
    checksum += lines_of.size();
  }
}

/// Two threads that share a map, which they lock for each look.
void share() {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> counts;
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 1'000'000; ++i) {
      const std::uint64_t key = random() % 5'000;
      const std::lock_guard guard(mutex);
      ++counts[key];
    }
  };
  std::jthread other([&] { work(2); });
  work(1);
  other.join();
  checksum += counts.size();
}

/// Little but a lock that nobody else wants.
void lock_alone() {
  std::mutex mutex;
  for (int i = 0; i < 20'000'000; ++i) {
    const std::lock_guard guard(mutex);
    ++checksum;
  }
}

/// Two threads that share a map in 64 pieces, each with a lock, which are hardly ever taken.
void share_pieces() {
  struct alignas(64) Piece {
    std::mutex mutex;
    std::map<std::uint64_t, std::uint64_t> counts;
  };
  std::vector<Piece> pieces(64);
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2'000'000; ++i) {
      const std::uint64_t key = random() % 5'000;
      Piece& piece = pieces[key % pieces.size()];
      const std::lock_guard guard(piece.mutex);
      ++piece.counts[key];
    }
  };
  std::jthread other([&] { work(2); });
  work(1);
  other.join();
  checksum += pieces[0].counts.size();
}

double cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double measure(void (*work)()) {
  const double before = cpu_time();
  work();
  return cpu_time() - before;
}

#ifdef SC_PPROF_LINKED
double measure_profiled(void (*work)()) {
  using namespace symcached::pprof;
  std::stop_source stop;
  const std::jthread profiler([&] {
    while (!stop.stop_requested()) (void)cpu_profile({.frequency = 100}, stop.get_token());
  });
  while (cpu_profile({.duration = std::chrono::milliseconds(1)}, {})) continue;
  const double time = measure(work);
  stop.request_stop();
  return time;
}

double measure_waits(void (*work)()) {
  if (!symcached::pprof::contention_profile({}, {})) return 0;
  return measure(work);
}
#endif

}  // namespace

int main(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "", with = count > 2 ? arguments[2] : "";
  const std::map<std::string_view, void (*)()> works = {{"compute", compute},     {"allocate", allocate},
                                                        {"index", index_words},   {"share", share},
                                                        {"pieces", share_pieces}, {"locks", lock_alone}};
  const auto found = works.find(name);
  if (found == works.end()) return 2;
  void (*const work)() = found->second;
  double time = 0;
  if (with.empty()) time = measure(work);
#ifdef SC_PPROF_LINKED
  if (with == "cpu") time = measure_profiled(work);
  if (with == "contention") time = measure_waits(work);
#endif
  if (time == 0 || checksum == 0) return 2;
  std::printf("%.9f\n", time);
  return 0;
}
