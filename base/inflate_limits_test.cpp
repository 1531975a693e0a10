#include "base/inflate_limits.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

constexpr std::uint64_t kMiB = 1u << 20, kGiB = 1u << 30;

TEST(InflateLimits, ByRatioAndInAll) {
  struct Row {
    std::string_view why;
    InflateLimits limits;
    std::uint64_t file, want;
  };
  const Row rows[] = {
      {"a small file", {}, 0, 64 * kMiB},
      {"as much as is free", {}, 64 * kMiB / 200, 64 * kMiB},
      {"two hundred times the file", {}, kMiB, 200 * kMiB},
      {"a large file", {}, 4 * kGiB, 8 * kGiB},
      {"no product that wraps", {}, ~std::uint64_t{0}, 8 * kGiB},
      {"a total below what is free", {.total = 100}, 10, 100},
      {"another limit, higher", InflateLimits::exactly(20 * kGiB), 1, 20 * kGiB},
      {"another limit, lower", InflateLimits::exactly(kMiB), kGiB, kMiB},
  };
  for (const Row& r : rows) EXPECT_EQ(r.limits.allowed(r.file), r.want) << r.why;
}

TEST(InflateBudget, CountsAll) {
  InflateBudget budget(InflateLimits::exactly(100), 10);
  EXPECT_TRUE(budget.take(60, "elf.debug_section", 0));
  EXPECT_TRUE(budget.take(40, "elf.debug_section", 0));
  const auto refused = budget.take(1, "elf.debug_section", 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "decompresses to 1 more bytes, over the limit of 100 for the whole file; set another limit with convert "
            "--max-unpacked (elf.debug_section at offset 64)");
  EXPECT_FALSE(InflateBudget({}, 10).take(~std::uint64_t{0}, "elf.debug_section", 0));
}

}  // namespace
}  // namespace symcached
