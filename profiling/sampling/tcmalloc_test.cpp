#include "profiling/sampling/tcmalloc.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"

namespace symcached::pprof {
namespace {

TEST(Tcmalloc, ReadsWhatItPrints) {
  const auto profile = parse_heap_text(
      "heap profile:      3:  3000 [     9:     9000] @ heap_v2/524288\n"
      "     2:     2000 [     8:     8000] @ 0x401000 0x7f0000000010\n"
      "     1:     1000 [     1:     1000] @ 0x402000\n"
      "\n"
      "MAPPED_LIBRARIES:\n"
      "00400000-00500000 r-xp 00000000 00:00 7 /bin/x\n",
      Kind::heap);
  ASSERT_TRUE(profile) << profile.error();
  EXPECT_EQ(profile->period, 524288);
  const std::vector<Sample> want = {{{0x401000, 0x7f0000000010}, 2, 2000, 8, 8000}, {{0x402000}, 1, 1000, 1, 1000}};
  EXPECT_EQ(profile->samples, want);
}

TEST(Tcmalloc, GrowthHasNoRate) {
  const auto profile = parse_heap_text("heap profile: 1: 8 [1: 8] @ growth\n1: 8 [1: 8] @ 0x1\n", Kind::growth);
  ASSERT_TRUE(profile) << profile.error();
  EXPECT_EQ(profile->samples.size(), 1u);
}

TEST(Tcmalloc, TellsWhenItSamplesNothing) {  // T4
  struct Row {
    std::string_view why, text;
  };
  const Row rows[] = {
      {"off, with warnings", "%warn sampling is off\n%warn\nheap profile: 0: 0 [0: 0] @ heap_v2/0\n"},
      {"off", "heap profile: 0: 0 [0: 0] @ heap_v2/0\n"},
      {"another version", "heap profile: 0: 0 [0: 0] @ heap/1048576\n"},
      {"empty", ""},
      {"text", "hello\n"},
  };
  for (const Row& r : rows) EXPECT_FALSE(parse_heap_text(r.text, Kind::heap)) << r.why;
}

TEST(Tcmalloc, LeavesOutLinesThatDoNotFit) {
  struct Row {
    std::string_view why, line;
  };
  const Row rows[] = {{"no stack", "1: 8 [1: 8] @"},
                      {"at nothing", "1: 8 [1: 8] @ 0x0 0x1"},
                      {"cut", "1: 8 [1:"},
                      {"too large", "1: 99999999999999999999 [1: 8] @ 0x1"},
                      {"negative", "-1: 8 [1: 8] @ 0x1"}};
  for (const Row& r : rows) {
    const auto profile =
        parse_heap_text("heap profile: 0: 0 [0: 0] @ heap_v2/1\n" + std::string(r.line) + "\n", Kind::heap);
    ASSERT_TRUE(profile) << r.why;
    EXPECT_TRUE(profile->samples.empty()) << r.why;
  }
  std::string deep = "heap profile: 0: 0 [0: 0] @ heap_v2/1\n1: 8 [1: 8] @";
  for (int i = 0; i < 1000; ++i) deep += " 0x1";
  EXPECT_EQ(parse_heap_text(deep, Kind::heap)->samples.at(0).stack.size(), kMaxFrames);
}

__attribute__((noinline, aligned(512), section("probes"))) void* probe() { return ::operator new(100'000); }

TEST(Tcmalloc, IsAskedWhereItIsLoaded) {
  if (kSanitized) return;                                     // has a malloc of its own
  if (std::getenv("TCMALLOC_SAMPLE_PARAMETER") == nullptr) {  // this process begins again with it
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("LD_PRELOAD", "libtcmalloc.so.4", 1);
      ::setenv("TCMALLOC_SAMPLE_PARAMETER", "524288", 1);
      ::execl("/proc/self/exe", "tcmalloc_test", "--gtest_filter=Tcmalloc.IsAskedWhereItIsLoaded", nullptr);
      ::_exit(127);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return;
  }
  std::vector<void*> all;
  for (int i = 0; i < 500; ++i) all.push_back(probe());
  const auto profile = heap_profile();
  ASSERT_TRUE(profile) << profile.error().reason << "; is libgoogle-perftools4 installed?";
  EXPECT_EQ(profile->period, 524288);
  std::int64_t count = 0;
  for (const Sample& sample : profile->samples)
    if (std::ranges::any_of(sample.stack,
                            [](std::uintptr_t a) { return a - reinterpret_cast<std::uintptr_t>(probe) < 512; }))
      count += sample.count;
  EXPECT_NEAR(static_cast<double>(count), 500 * (1 - std::exp(-100'000 / 524288.0)), 45);
  EXPECT_TRUE(growth_profile());
  for (void* pointer : all) ::operator delete(pointer);
}

}  // namespace
}  // namespace symcached::pprof
