#include "store/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace symcached::store {
namespace {

constexpr std::uint32_t kNow = 1'700'000'000, kHour = 3600, kDay = 24 * kHour;
constexpr std::uint32_t kMiB = 256;  ///< blocks

Digest digest(std::uint32_t number) {
  Digest made{};
  std::memcpy(made.data() + 4, &number, sizeof number);
  return made;
}

std::uint32_t number_of(const Digest& digest) {
  std::uint32_t number;
  std::memcpy(&number, digest.data() + 4, sizeof number);
  return number;
}

/// Evicts all of them; in which order.
std::vector<std::uint32_t> order(Index& index, std::optional<Index::KindId> kind = {}) {
  std::vector<std::uint32_t> numbers;
  while (const auto entry = index.least_valuable(kind)) {
    numbers.push_back(number_of(entry->digest));
    EXPECT_TRUE(index.erase(entry->place, entry->digest));
  }
  return numbers;
}

TEST(Score, WhatIsDearForItsSizeStaysLonger) {
  struct Row {
    std::string_view why;
    Account account;
    bool outdated;
    std::int64_t hours;  ///< after its last use
  };
  const Row rows[] = {
      {"cost unknown", {.blocks = 1, .last_use = kNow}, false, 0},
      {"1 ms a MiB", {.blocks = kMiB, .last_use = kNow, .cost_ms = 1}, false, 4},
      {"a download: 100 MiB in 10 s", {.blocks = 100 * kMiB, .last_use = kNow, .cost_ms = 10'000}, false, 26},
      {"a conversion: 5 MiB in 2 s", {.blocks = 5 * kMiB, .last_use = kNow, .cost_ms = 2'000}, false, 34},
      {"at most 2 days", {.blocks = 1, .last_use = kNow, .cost_ms = UINT32_MAX}, false, 48},
      {"of an older version", {.blocks = kMiB, .last_use = kNow, .cost_ms = 1}, true, 4 - 48},
      {"a second name of a file", {.blocks = 0, .last_use = kNow}, false, 0},
  };
  for (const Row& r : rows) EXPECT_EQ((score(r.account, r.outdated) - kNow) / kHour, r.hours) << r.why;
}

TEST(Index, CountsBytesOfAllAndOfEachKind) {
  Index index;
  const auto symcaches = *index.intern("symcaches/v1/global");
  const auto objects = *index.intern("objects/v1/global");
  index.put(symcaches, digest(1), {.blocks = 2});
  index.put(objects, digest(1), {.blocks = 5});
  index.put(objects, digest(2), {.blocks = 0});
  index.put(symcaches, digest(1), {.blocks = 3});
  EXPECT_EQ(index.bytes(), 8 * kBlock);
  EXPECT_EQ(index.bytes(*index.find_kind("symcaches")), 3 * kBlock);
  EXPECT_EQ(index.entries(*index.find_kind("objects")), 2u);
  EXPECT_TRUE(index.erase(objects, digest(1)));
  EXPECT_FALSE(index.erase(objects, digest(1)));
  EXPECT_EQ(index.bytes(), 3 * kBlock);
  EXPECT_EQ(index.entries(), 2u);
  EXPECT_FALSE(index.find_kind("none"));
}

TEST(Index, TheLeastValuableGoesFirst) {
  Index index;
  const auto old = *index.intern("symcaches/v1/global");
  const auto objects = *index.intern("objects/v1/global");
  index.put(old, digest(1), {.blocks = 1, .last_use = kNow - kDay, .cost_ms = 60'000});
  index.put(old, digest(2), {.blocks = 1, .last_use = kNow - kDay});
  index.put(objects, digest(3), {.blocks = 1, .last_use = kNow - 2 * kDay});
  index.put(objects, digest(4), {.blocks = 1, .last_use = kNow});
  index.put(objects, digest(5), {.blocks = 1, .last_use = kNow});
  EXPECT_EQ(number_of(index.least_valuable(index.find_kind("symcaches"))->digest), 2u);
  EXPECT_EQ(order(index), (std::vector<std::uint32_t>{3, 2, 4, 5, 1}));
  EXPECT_EQ(index.bytes(), 0u);
}

TEST(Index, EntriesOfAnOlderVersionAreWorthLess) {
  Index index;
  const auto old = *index.intern("symcaches/v1/global");
  index.put(old, digest(1), {.blocks = 1, .last_use = kNow});
  const auto current = *index.intern("symcaches/v2/global");
  index.put(current, digest(2), {.blocks = 1, .last_use = kNow - kDay});
  index.put(old, digest(3), {.blocks = 1, .last_use = kNow});
  EXPECT_EQ(order(index), (std::vector<std::uint32_t>{1, 3, 2}));
}

TEST(Index, TheLastUseNeverGoesBack) {
  Index index;
  const auto place = *index.intern("symcaches/v1/global");
  index.put(place, digest(1), {.blocks = 1, .last_use = kNow});
  index.put(place, digest(1), {.blocks = 1, .last_use = kNow - kDay});
  EXPECT_EQ(index.find(place, digest(1))->last_use, kNow);
  index.put(place, digest(1), {.blocks = 1, .last_use = kNow + kDay});
  EXPECT_EQ(index.find(place, digest(1))->last_use, kNow + kDay);
}

TEST(Index, PlacesAreChecked) {
  Index index;
  EXPECT_FALSE(index.intern("../v1/global"));
  EXPECT_EQ(index.intern("symcaches/v1/global"), index.intern("symcaches/v1/global"));
  for (std::size_t i = 1; i < Index::kMaxKinds; ++i)
    EXPECT_TRUE(index.intern("k" + std::string(i, 'x') + "/v1/g")) << i;
  EXPECT_FALSE(index.intern("another/v1/g"));
  EXPECT_TRUE(index.intern("symcaches/v2/global")) << "a known kind";
}

TEST(Index, ASurveyFindsWhatIsGone) {
  Index index;
  const auto place = *index.intern("symcaches/v1/global");
  for (const std::uint32_t i : {1, 2, 3}) index.put(place, digest(i), {.blocks = 1});
  index.begin_survey();
  EXPECT_TRUE(index.seen(place, digest(2)));
  EXPECT_FALSE(index.seen(place, digest(9)));
  index.put(place, digest(4), {.blocks = 1});
  std::vector<std::uint32_t> unseen;
  for (std::size_t at = 0; at < index.positions(); ++at)
    if (!index.was_seen(at)) unseen.push_back(number_of(index.at(at)->digest));
  EXPECT_EQ(unseen, (std::vector<std::uint32_t>{1, 3}));
}

TEST(Index, AgreesWithASimpleModel) {
  std::mt19937 generator(1);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  Index index;
  const auto place = *index.intern("symcaches/v1/global");
  std::map<std::uint32_t, Account> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t number = random() % 500;
    if (random() % 3 == 0) {
      EXPECT_EQ(index.erase(place, digest(number)), model.erase(number) == 1);
    } else {
      Account account{.blocks = random() % 9, .last_use = kNow + 600 * (random() % 50)};
      if (model.contains(number)) account.last_use = std::max(account.last_use, model[number].last_use);
      model[number] = account;
      index.put(place, digest(number), account);
    }
  }
  std::uint64_t blocks = 0;
  for (const auto& [number, account] : model) {
    EXPECT_EQ(index.find(place, digest(number)), account);
    blocks += account.blocks;
  }
  EXPECT_EQ(index.bytes(), blocks * kBlock);
  std::uint32_t last = 0;
  for (const std::uint32_t number : order(index)) {
    EXPECT_GE(model[number].last_use, last);
    last = model[number].last_use;
  }
}

}  // namespace
}  // namespace symcached::store
