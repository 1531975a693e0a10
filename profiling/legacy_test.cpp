#include "profiling/legacy.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "testing/pprof/fake_sources.hpp"

namespace symcached::pprof {
namespace {

constexpr std::string_view kMaps =
    "00001000-00003000 r-xp 00000400 00:00 0          /bin/app\n"
    "00007000-00008000 r-xp 00000000 00:00 0          /anon/vdso\n";  // T19

std::vector<std::uint64_t> words_of(std::string_view text, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  std::memcpy(words.data(), text.data(), std::min(text.size(), count * 8));
  return words;
}

TEST(Legacy, CpuIsWordsAndMaps) {  // T6, T7, T8
  struct Row {
    const char* why;
    Profile profile;
    std::vector<std::uint64_t> want;
  };
  const Row rows[] = {
      {"nothing", {.period = 10'000'000}, {0, 3, 0, 10'000, 0, 0, 1, 0}},
      {"a stack",
       {.samples = {{.stack = {0x1100, 0x2000}, .count = 3}}, .period = 10'000'000},
       {0, 3, 0, 10'000, 0, 3, 2, 0x1100, 0x2000, 0, 1, 0}},
      {"what would end the file", {.samples = {{.stack = {0, 1}, .count = 3}}, .period = 1}, {0, 3, 0, 1, 0, 0, 1, 0}},
      {"events are no time", {.kind = Kind::pmu, .period = 1'000'000, .event = "cycles"}, {0, 3, 0, 1, 0, 0, 1, 0}},
      {"a clock is", {.kind = Kind::pmu, .period = 1'000'000, .event = "cpu-clock:u"}, {0, 3, 0, 1000, 0, 0, 1, 0}},
  };
  for (const Row& r : rows) {
    const std::string body = legacy(r.profile, fake_modules());
    EXPECT_EQ(words_of(body, r.want.size()), r.want) << r.why;
    EXPECT_EQ(body.substr(std::min(body.size(), r.want.size() * 8)), kMaps) << r.why;
  }
}

TEST(Legacy, Memory) {
  Profile profile{
      .kind = Kind::heap,
      .samples = {{.stack = {0x1100}, .count = 2, .value = 100, .allocated_count = 5, .allocated_bytes = 250},
                  {.stack = {0x1100, 0x2000}, .allocated_count = 1, .allocated_bytes = 8},
                  {.stack = {0x1200}, .count = 0, .value = 7}},  // no object has 7 bytes: Go takes offence
      .period = 524288};
  EXPECT_EQ(legacy(profile, fake_modules()),
            "heap profile:      2:      100 [     6:      258] @ heap_v2/524288\n"
            "     2:      100 [     5:      250] @ 0x1100\n"
            "     0:        0 [     1:        8] @ 0x1100 0x2000\n"
            "\nMAPPED_LIBRARIES:\n" +
                std::string(kMaps));
  profile = {.kind = Kind::growth, .samples = {{.stack = {0x1100}, .count = 1, .value = 4096}}};
  EXPECT_EQ(legacy(profile, {}),
            "heap profile:      1:     4096 [     1:     4096] @ growth\n"
            "     1:     4096 [     1:     4096] @ 0x1100\n\nMAPPED_LIBRARIES:\n");
}

TEST(Legacy, Contention) {  // T11, T12, T13
  const Profile profile{.kind = Kind::contention,
                        .samples = {{.stack = {0x1100}, .count = 2, .value = 5000}},
                        .period = 10,
                        .lost = 3,
                        .duration = std::chrono::milliseconds(1500)};
  EXPECT_EQ(legacy(profile, fake_modules()),
            "--- contentionz 1 ---\ncycles/second = 1000000000\nsampling period = 10\nms since reset = 1500\n"
            "discarded samples = 3\n    5000        2 @ 0x1100\n--- Memory map: ---\n" +
                std::string(kMaps));
}

TEST(Legacy, MapsHaveNamesThatClientsTake) {  // T20
  const std::vector<MappedModule> modules = {{1, 2, 0, "", ""}, {3, 4, 0, "[a b]", ""}, {5, 6, 0, "/x\ny", ""}};
  EXPECT_EQ(maps_text(modules),
            "00000001-00000002 r-xp 00000000 00:00 0          /anon/\n"
            "00000003-00000004 r-xp 00000000 00:00 0          /anon/a b\n"
            "00000005-00000006 r-xp 00000000 00:00 0          /x?y\n");
}

}  // namespace
}  // namespace symcached::pprof
