#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"

namespace symcached::pprof {
namespace {

// The tests run in processes of their own, which have the rate in their environment from the start.
constexpr const char* kRate = "SYMCACHED_PPROF_HEAP_RATE";

/// Runs `body` in this program again with a rate; its exit status is the answer.
void with_rate(const char* rate, const std::function<void()>& body) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  if (const char* now = std::getenv(kRate); now != nullptr && std::strcmp(now, rate) == 0) return body();
  const std::string filter = std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kRate, rate, 1);
    ::execl("/proc/self/exe", "hook_test", filter.c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

struct Seen {
  std::int64_t count = 0, bytes = 0, allocated = 0, allocated_bytes = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// A function with 512 bytes for itself: nothing else is in its section.
#define SC_PROBE __attribute__((noinline, aligned(512), section("probes")))

/// What was allocated by a probe.
template <class Function>
Seen seen_in(Function* function) {
  Seen seen;
  const auto begin = reinterpret_cast<std::uintptr_t>(function);
  const auto profile = heap_profile();
  if (!profile) {
    ADD_FAILURE() << profile.error().reason;
    return seen;
  }
  for (const Sample& sample : profile->samples) {
    if (std::ranges::none_of(sample.stack, [&](std::uintptr_t address) { return address - begin < 512; })) continue;
    seen.count += sample.count;
    seen.bytes += sample.value;
    seen.allocated += sample.allocated_count;
    seen.allocated_bytes += sample.allocated_bytes;
  }
  return seen;
}

/// Keeps the compiler from leaving an allocation out.
void* used(void* pointer) {
  __asm__ volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

SC_PROBE void* by_malloc() { return used(std::malloc(1000)); }
SC_PROBE void* by_calloc() { return used(std::calloc(10, 100)); }
SC_PROBE void* by_realloc() { return used(std::realloc(nullptr, 1000)); }
SC_PROBE void* by_aligned_alloc() { return used(std::aligned_alloc(64, 1000)); }
SC_PROBE void* by_memalign() { return used(::memalign(64, 1000)); }
SC_PROBE void* by_new() { return used(::operator new(1000)); }
SC_PROBE void* by_aligned_new() { return used(::operator new(1000, std::align_val_t(128))); }
SC_PROBE void* by_posix_memalign() {
  void* pointer = nullptr;
  if (::posix_memalign(&pointer, 64, 1000) != 0) return nullptr;
  return used(pointer);
}

TEST(MallocHook, CountsEachWayToAllocate) {
  if (kSanitized) return;
  with_rate("1", [] {
    void* (*const ways[])() = {by_malloc,   by_calloc, by_realloc,     by_aligned_alloc,
                               by_memalign, by_new,    by_aligned_new, by_posix_memalign};
    for (const auto way : ways) {
      std::vector<void*> all;
      for (int i = 0; i < 100; ++i) all.push_back(way());
      EXPECT_EQ(seen_in(way).count, 100) << std::ranges::find(ways, way) - ways;
      for (int i = 0; i < 70; ++i) std::free(all[static_cast<std::size_t>(i)]);
      const Seen seen = seen_in(way);
      EXPECT_EQ(seen, (Seen{30, seen.bytes, 100, seen.allocated_bytes})) << std::ranges::find(ways, way) - ways;
      EXPECT_GE(seen.bytes, 30'000);  // aligned new rounds up
      EXPECT_LT(seen.bytes, 32'000);
      for (int i = 70; i < 100; ++i) std::free(all[static_cast<std::size_t>(i)]);
      EXPECT_EQ(seen_in(way).count, 0);
    }
  });
}

SC_PROBE void* grown(void* pointer) { return used(std::realloc(pointer, 3000)); }

/// Not in sight of the compiler, which takes the memory for freed whatever comes back.
void* (*volatile unseen_realloc)(void*, std::size_t) = std::realloc;

TEST(MallocHook, ReallocMovesTheAccount) {
  if (kSanitized) return;
  with_rate("1", [] {
    void* pointer = grown(by_malloc());
    EXPECT_EQ(seen_in(by_malloc), (Seen{0, 0, 1, 1000}));
    EXPECT_EQ(seen_in(grown), (Seen{1, 3000, 1, 3000}));
    EXPECT_EQ(unseen_realloc(pointer, SIZE_MAX / 4), nullptr);
    EXPECT_EQ(seen_in(grown), (Seen{1, 3000, 1, 3000}));
    std::free(pointer);
    EXPECT_EQ(seen_in(grown).count, 0);
  });
}

TEST(MallocHook, SamplesInProportionToTheBytes) {
  if (kSanitized) return;
  with_rate("65536", [] {
    constexpr std::int64_t kObjects = 200'000;
    std::vector<void*> all;
    all.reserve(kObjects);
    for (std::int64_t i = 0; i < kObjects; ++i) all.push_back(by_malloc());
    const Seen seen = seen_in(by_malloc);
    // One object in 1 / (1 - exp(-1000 / 65536)) is sampled: 3,028; 400 is seven standard deviations.
    EXPECT_NEAR(static_cast<double>(seen.count), 3028, 400);
    EXPECT_EQ(seen.bytes, seen.count * 1000);
    for (void* pointer : all) {
      std::free(pointer);
      std::free(nullptr);  // is none of the sampled
    }
    EXPECT_EQ(seen_in(by_malloc).count, 0);
  });
}

TEST(MallocHook, ManyThreadsFreeWhatOthersAllocated) {
  if (kSanitized) return;
  with_rate("1", [] {
    std::array<std::atomic<void*>, 64> exchange{};
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 8; ++t)
      threads.emplace_back([&exchange, t] {
        for (unsigned i = 0; i < 20'000; ++i) std::free(exchange[(i * 7 + t * 13) % 64].exchange(by_malloc()));
      });
    threads.clear();
    for (auto& place : exchange) std::free(place.exchange(nullptr));
    EXPECT_EQ(seen_in(by_malloc), (Seen{0, 0, 160'000, 160'000'000}));
    EXPECT_EQ(heap_profile()->lost, 0);
  });
}

TEST(MallocHook, AForkedChildCanAllocate) {
  if (kSanitized) return;
  with_rate("1", [] {
    const std::jthread other([](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::free(by_malloc());
    });
    for (int i = 0; i < 50; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        std::free(by_malloc());
        ::_exit(heap_profile() ? 0 : 1);
      }
      int status = -1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
  });
}

TEST(MallocHook, SaysWhyItIsOff) {
  with_rate("0", [] {
    const auto profile = heap_profile();
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().status, 501);
    EXPECT_NE(profile.error().reason.find(kSanitized ? "sanitizer" : kRate), std::string::npos);
  });
}

TEST(MallocHook, GrowthIsTcmallocs) { EXPECT_EQ(growth_profile().error().status, 501); }

}  // namespace
}  // namespace symcached::pprof
