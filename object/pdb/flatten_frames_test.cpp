#include "object/pdb/flatten_frames.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace symcached::object {
namespace {

using Sites = std::vector<FrameSite>;
using Ranges = std::vector<FrameRange>;

/// `offset:line`, then `<site's name:line of the call` from the innermost out.
std::string text_of(const FrameFlattener& f) {
  std::string out;
  for (const model::Line& row : f.lines()) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : " ", row.offset, row.line);
    for (std::uint32_t i = row.inlinee; i != model::kNoInlinee; i = f.inlinees()[i].caller)
      out += fmt::format("<{}:{}", static_cast<int>(f.inlinees()[i].name), f.inlinees()[i].call_line);
  }
  return out;
}

FrameSite site(std::uint32_t caller, std::uint32_t name) { return {caller, static_cast<model::StringId>(name)}; }
FrameRange range(std::uint32_t site, std::uint32_t start, std::uint32_t end, std::uint32_t line) {
  return {.start = start, .end = end, .site = site, .line = line};
}

TEST(FrameFlattener, EveryFrameHasItsOwnLine) {
  struct Row {
    std::string_view why;
    Sites sites;
    Ranges ranges;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", {{}}, {}, ""},
      {"lines alone", {{}}, {range(0, 0, 4, 1), range(0, 4, 8, 2)}, "0:1 4:2 8:0"},
      {"a hole", {{}}, {range(0, 0, 2, 1), range(0, 4, 8, 2)}, "0:1 2:0 4:2 8:0"},
      {"equal neighbours are one row", {{}}, {range(0, 0, 4, 1), range(0, 4, 8, 1)}, "0:1 8:0"},
      {"a call in the middle", {{}, site(0, 7)}, {range(0, 0, 8, 1), range(1, 2, 4, 70)}, "0:1 2:70<7:1 4:1 8:0"},
      {"the caller's line changes under the call",
       {{}, site(0, 7)},
       {range(0, 0, 4, 1), range(0, 4, 8, 2), range(1, 2, 6, 70)},
       "0:1 2:70<7:1 4:70<7:2 6:2 8:0"},
      {"two levels",
       {{}, site(0, 7), site(1, 8)},
       {range(0, 0, 8, 1), range(1, 0, 6, 70), range(2, 2, 4, 80)},
       "0:70<7:1 2:80<8:70<7:1 4:70<7:1 6:1 8:0"},
      {"only where the caller is",
       {{}, site(0, 7), site(1, 8)},
       {range(0, 0, 8, 1), range(1, 4, 6, 70), range(2, 0, 8, 80)},
       "0:1 4:80<8:70<7:1 6:1 8:0"},
      {"of two calls at one place the first",
       {{}, site(0, 7), site(0, 8)},
       {range(0, 0, 8, 1), range(1, 0, 4, 70), range(2, 2, 6, 80)},
       "0:70<7:1 4:80<8:1 6:1 8:0"},
      {"a call where the function has no lines", {{}, site(0, 7)}, {range(1, 2, 4, 70)}, "2:70<7:0 4:0"},
  };
  FrameFlattener flattener;
  for (const Row& r : rows) {
    WorkBudget budget(1000);
    EXPECT_TRUE(flattener.flatten(r.sites, r.ranges, budget)) << r.why;
    EXPECT_EQ(text_of(flattener), r.want) << r.why;
  }
}

TEST(FrameFlattener, OneCallFromOneLineIsOneInlinee) {
  FrameFlattener flattener;
  WorkBudget budget(1000);
  ASSERT_TRUE(flattener.flatten(Sites{{}, site(0, 7)},
                                Ranges{range(0, 0, 2, 1), range(0, 2, 4, 2), range(0, 4, 8, 1), range(1, 0, 8, 70)},
                                budget));
  EXPECT_EQ(text_of(flattener), "0:70<7:1 2:70<7:2 4:70<7:1 8:0");
  EXPECT_EQ(flattener.inlinees().size(), 2u);
}

TEST(FrameFlattener, CallsDeeperThanTheLimitAreLeftOut) {
  Sites sites(1);
  Ranges ranges{range(0, 0, 8, 1)};
  for (std::uint32_t i = 1; i <= 2 * FrameFlattener::kMaxDepth; ++i) {
    sites.push_back(site(i - 1, i));
    ranges.push_back(range(i, 0, 8, i));
  }
  FrameFlattener flattener;
  WorkBudget budget(10 * FrameFlattener::kMaxDepth);
  ASSERT_TRUE(flattener.flatten(sites, ranges, budget));
  EXPECT_EQ(flattener.inlinees().size(), FrameFlattener::kMaxDepth);
}

TEST(FrameFlattener, ManyOverlappingCallsCostLittle) {
  constexpr std::uint32_t kMany = 100000;
  Sites sites(1);
  Ranges rows, calls;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    sites.push_back(site(0, i + 1));
    rows.push_back(range(0, 2 * i, 2 * i + 2, i));
    calls.push_back(range(i + 1, i, 2 * kMany, 1));
  }
  Ranges all = rows;
  all.insert(all.end(), calls.begin(), calls.end());
  FrameFlattener flattener;
  WorkBudget budget(100 * kMany);  // not the product of rows and calls
  ASSERT_TRUE(flattener.flatten(sites, all, budget));
  EXPECT_LE(flattener.lines().size(), all.size() + calls.size());
  rows.push_back(range(1, 0, 2 * kMany, 1));
  WorkBudget more(50 * kMany);                                        // 32 older ones are looked at for each
  ASSERT_TRUE(flattener.flatten(Sites{{}, site(0, 1)}, rows, more));  // one call reached from each of the lines
  EXPECT_EQ(flattener.inlinees().size(), kMany);
}

TEST(FrameFlattener, CountsWhatItLooksAt) {
  FrameFlattener flattener;
  WorkBudget budget(100);
  ASSERT_TRUE(flattener.flatten(Sites{{}, site(0, 7)}, Ranges{range(0, 0, 8, 1), range(1, 2, 6, 70)}, budget));
  EXPECT_EQ(budget.spent(), 4u + 1 + 8) << "four ends of ranges, one call there, and that is new";
  WorkBudget small(12);
  EXPECT_FALSE(flattener.flatten(Sites{{}, site(0, 7)}, Ranges{range(0, 0, 8, 1), range(1, 2, 6, 70)}, small));
}

TEST(NumberSet, IsTheSameAsASortedSet) {
  std::mt19937 random(7);
  for (const std::uint32_t limit : {1u, 64u, 65u, 5000u, 300000u}) {
    NumberSet numbers;
    numbers.reset(limit);
    std::set<std::uint32_t> want;
    for (int step = 0; step < 3000; ++step) {
      const std::uint32_t number = static_cast<std::uint32_t>(random() % limit);
      if (random() % 3 == 0) {
        numbers.erase(number);
        want.erase(number);
      } else {
        numbers.insert(number);
        want.insert(number);
      }
      const std::uint32_t from = static_cast<std::uint32_t>(random() % limit);
      const auto at = want.lower_bound(from);
      EXPECT_EQ(numbers.first_from(from) >= limit, at == want.end());
      EXPECT_TRUE(at == want.end() || numbers.first_from(from) == *at) << from;
    }
  }
}

}  // namespace
}  // namespace symcached::object
