#include "base/number_map.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace symcached {
namespace {

TEST(NumberMap, FindsWhatWasPut) {
  NumberMap map;
  for (int round = 0; round < 2; ++round) {
    bool added = false;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      std::uint32_t& value = map.at(i * i, added);
      EXPECT_TRUE(added);
      EXPECT_EQ(value, 0u);
      value = static_cast<std::uint32_t>(i);
    }
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      EXPECT_EQ(map.at(i * i, added), i);
      EXPECT_FALSE(added);
    }
    map.clear();
  }
}

TEST(NumberMap, KeysInStepsAreNoTrouble) {
  for (unsigned shift = 0; shift < 44; shift += 4) {
    NumberMap map;
    bool added = false;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < 200'000; ++i) map.at(i << shift, added) = 1;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << shift;
  }
}

TEST(NumberMap, TheKeyThatIsNone) {
  NumberMap map;
  bool added = true;
  EXPECT_EQ(map.at(~std::uint64_t{0}, added), 0u);
}

}  // namespace
}  // namespace symcached
