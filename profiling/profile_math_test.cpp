#include "profiling/profile_math.hpp"

#include <gmock/gmock.h>

namespace symcached::pprof {
namespace {

TEST(Scaled, StandsForWhatWasNotSampled) {
  struct Row {
    const char* why;
    Kind kind;
    std::int64_t period;
    std::int64_t count, value;
    std::int64_t want_count, want_value;
  };
  const Row rows[] = {
      {"one in 524,288 bytes, of objects of 1,024", Kind::heap, 524288, 10, 10240, 5125, 5248002},
      {"large objects are all seen", Kind::heap, 524288, 1, 1 << 26, 1, 1 << 26},
      {"all are counted", Kind::heap, 1, 10, 10240, 10, 10240},
      {"nothing in use", Kind::heap, 524288, 0, 0, 0, 0},
      {"waits", Kind::contention, 100, 3, 700, 300, 70000},
      {"too many waits for a number", Kind::contention, 100, 3, std::int64_t{1} << 62, 300, INT64_MAX},
      {"time is what it is", Kind::cpu, 10'000'000, 3, 30, 3, 30},
  };
  for (const Row& r : rows) {
    const Profile profile{
        .kind = r.kind, .samples = {{.stack = {1}, .count = r.count, .value = r.value}}, .period = r.period};
    const Sample got = scaled(profile).samples.front();
    EXPECT_EQ(got.count, r.want_count) << r.why;
    EXPECT_EQ(got.value, r.want_value) << r.why;
  }
}

TEST(Difference, IsByStack) {
  const Profile before{.samples = {{.stack = {1}, .count = 5, .value = 50},
                                   {.stack = {2}, .count = 1, .value = 1},
                                   {.stack = {3}, .count = 4, .value = 40}},
                       .lost = 1};
  const Profile after{.samples = {{.stack = {3}, .count = 1, .value = 10},
                                  {.stack = {1}, .count = 7, .value = 70},
                                  {.stack = {2}, .count = 1, .value = 1},
                                  {.stack = {4}, .count = 1, .value = 2}},
                      .lost = 3};
  const Profile change = difference(before, after);
  const std::vector<Sample> want = {{.stack = {1}, .count = 2, .value = 20},
                                    {.stack = {3}, .count = -3, .value = -30},
                                    {.stack = {4}, .count = 1, .value = 2}};
  EXPECT_EQ(change.samples, want);
  EXPECT_EQ(change.lost, 2);
}

}  // namespace
}  // namespace symcached::pprof
