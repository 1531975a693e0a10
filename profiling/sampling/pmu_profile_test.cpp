#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/pmu_event.hpp"

namespace symcached::pprof {
namespace {

using std::chrono::milliseconds;

TEST(PmuEvent, IsFoundByName) {
  struct Row {
    std::string_view why, text, name;
    std::uint32_t type;
    std::uint64_t config;
    bool user, kernel;
  };
  const Row rows[] = {
      {"of the kernel", "cpu-clock", "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false},
      {"any case", "CPU-Clock", "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false},
      {"other name", "faults", "page-faults:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, false},
      {"of the CPU", "cycles:u", "cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false},
      {"kernel only", "cycles:k", "cycles:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, true},
      {"both", "cycles:u:k", "cycles:u:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, true},
      {"mask 0", "cpu-clock:0", "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false},
      {"mask 0x0", "cpu-clock:0x0", "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false},
      {"only in the kernel", "cs", "context-switches:u:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true,
       true},
      {"raw", "r01C0", "r01c0:u", PERF_TYPE_RAW, 0x1c0, true, false},
  };
  for (const Row& r : rows) {
    const auto event = find_event(r.text);
    ASSERT_TRUE(event) << r.why << ": " << event.error().reason;
    EXPECT_EQ(event->name, r.name) << r.why;
    EXPECT_EQ(event->type, r.type) << r.why;
    EXPECT_EQ(event->config, r.config) << r.why;
    EXPECT_EQ(event->user, r.user) << r.why;
    EXPECT_EQ(event->kernel, r.kernel) << r.why;
    EXPECT_GE(event->usual_period, event->least_period) << r.why;
  }
}

TEST(PmuEvent, IsRefused) {
  struct Row {
    std::string_view why;
    std::string text;
  };
  const Row rows[] = {{"nothing", ""},
                      {"no name of anything", "no_such_event_at_all"},
                      {"a mask for one that has none", "cpu-clock:1"},
                      {"a period inside", "cycles:period=1"},
                      {"other characters", "cycles u"},
                      {"with a zero", std::string("cycles\0", 7)},
                      {"long", std::string(300, 'x')}};
  for (const Row& r : rows) {
    const auto event = find_event(r.text);
    ASSERT_FALSE(event) << r.why;
    EXPECT_EQ(event.error().status, 400) << r.why;
    EXPECT_NE(event.error().reason.find("cpu-clock"), std::string::npos) << r.why;
  }
}

TEST(PmuProfile, RefusesWhatMakesNoSense) {
  struct Row {
    std::string_view why;
    PmuOptions options;
  };
  const Row rows[] = {{"too often", {.event = "cpu-clock", .period = 49'999}},
                      {"too seldom", {.event = "cpu-clock", .period = std::uint64_t{1} << 41}},
                      {"no time", {.event = "cpu-clock", .duration = milliseconds(0)}},
                      {"no event", {.event = "x"}}};
  for (const Row& r : rows) {
    const auto profile = pmu_profile(r.options, {});
    ASSERT_FALSE(profile) << r.why;
    EXPECT_EQ(profile.error().status, 400) << r.why;
  }
}

bool usable(std::string_view name) {
  const auto names = usable_events();
  return std::ranges::find(names, name) != names.end();
}

TEST(PmuProfile, SaysWhatWorksWhereSomethingDoesNot) {
  if (usable("cycles")) return;
  const auto profile = pmu_profile({.event = "cycles", .duration = milliseconds(10)}, {});
  ASSERT_FALSE(profile);
  EXPECT_TRUE(profile.error().status == 501 || profile.error().status == 403) << profile.error().status;
  for (const std::string& name : usable_events())
    EXPECT_NE(profile.error().reason.find(name), std::string::npos) << profile.error().reason;
}

std::atomic<std::uint64_t> rounds{0};
__attribute__((noinline, aligned(256))) void spin() {
  for (int i = 0; i < 1000; ++i) rounds.fetch_add(1, std::memory_order_relaxed);
}

TEST(PmuProfile, CountsTheClockOfEachThread) {
  if (!usable("cpu-clock")) return;
  const std::jthread busy([](const std::stop_token& stop) {
    while (!stop.stop_requested()) spin();
  });
  const auto profile = pmu_profile({.event = "cpu-clock:u", .period = 500'000, .duration = milliseconds(800)}, {});
  ASSERT_TRUE(profile) << profile.error().reason;
  EXPECT_EQ(profile->event, "cpu-clock:u");
  EXPECT_EQ(profile->period, 500'000);
  if (kSanitized) return;
  std::int64_t all = 0, here = 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(spin);
  for (const Sample& sample : profile->samples) {
    all += sample.count;
    EXPECT_EQ(sample.value, sample.count * 500'000);
    if (sample.stack.front() - begin < 256) here += sample.count;
  }
  EXPECT_GT(all, 50);
  EXPECT_GT(here, all * 8 / 10);
  EXPECT_LT(profile->lost, all / 2);
}

__attribute__((noinline, aligned(512))) void touch(std::byte* pages, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<volatile std::byte*>(pages)[i * 4096] = std::byte{1};
}

TEST(PmuProfile, CountsPageFaultsWhereTheyAre) {
  if (!usable("page-faults") || kSanitized) return;
  constexpr std::size_t kPages = 500;
  std::stop_source stop;
  Answer<Profile> profile;
  std::jthread profiler([&] {
    do {
      profile = pmu_profile({.event = "page-faults", .period = 1, .duration = milliseconds(60'000)}, stop.get_token());
    } while (!profile && !stop.stop_requested());
  });
  while (pmu_profile({.event = "cpu-clock", .duration = milliseconds(1)}, {})) continue;  // until the other has begun
  std::int64_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    auto* pages = static_cast<std::byte*>(
        ::mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages, MAP_FAILED);
    ::madvise(pages, kPages * 4096, MADV_NOHUGEPAGE);
    touch(pages, kPages);
    ::munmap(pages, kPages * 4096);
  }
  stop.request_stop();
  profiler.join();
  ASSERT_TRUE(profile) << profile.error().reason;
  const auto begin = reinterpret_cast<std::uintptr_t>(touch);
  for (const Sample& sample : profile->samples)
    if (sample.stack.front() - begin < 512) seen += sample.count;
  EXPECT_GT(seen, static_cast<std::int64_t>(kPages));
}

}  // namespace
}  // namespace symcached::pprof
