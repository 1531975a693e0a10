#include "profiling/text.hpp"

#include <gmock/gmock.h>

#include "testing/pprof/fake_sources.hpp"

namespace symcached::pprof {
namespace {

TEST(Text, LargestFirstWithInlines) {
  const Profile profile{
      .samples = {{.stack = {0x9000}, .count = 1, .value = 10}, {.stack = {0x1100, 0x2000}, .count = 3, .value = 30}},
      .lost = 2};
  const auto naming = fake_naming();
  EXPECT_EQ(profile_text(profile, fake_modules(), *naming),
            "4 samples, 40 ns in 2 stacks; lost: 2\n"
            "\n3 samples, 30 ns\n"
            "  #  0x1100  inner  /src/a.h:7  (inline)\n"
            "  #  0x1100  ns::outer()  /src/a.cpp:20\n"
            "  #  0x1fff  main  /src/a.cpp:99\n"
            "\n1 samples, 10 ns\n"
            "  #  0x9000\n");
}

}  // namespace
}  // namespace symcached::pprof
