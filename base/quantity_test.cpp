#include "base/quantity.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

using std::chrono::milliseconds;

TEST(Quantity, Sizes) {
  struct Row {
    std::string_view text;
    std::uint64_t want;
  };
  const Row rows[] = {
      {"0", 0},
      {"4096", 4096},
      {"4096B", 4096},
      {"7kB", 7'000},
      {"7KB", 7'000},
      {"20GB", 20'000'000'000},
      {"20 GB", 20'000'000'000},
      {"20GiB", std::uint64_t{20} << 30},
      {"1.5KiB", 1536},
      {"0.5B", 0},
      {"2TB", 2'000'000'000'000},
      {"1TiB", std::uint64_t{1} << 40},
      {"18446744073709551615", UINT64_MAX},
      {"9007199254740993", 9007199254740993},  // 2^53 + 1: no double has it
  };
  for (const Row& r : rows) EXPECT_EQ(parse_size(r.text), r.want) << r.text;
}

TEST(Quantity, NotSizes) {
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"20gb", "\"20gb\" has no unit we know; write 20GB or 20GiB"},
      {"20 ", "\"20 \" has no unit we know; write 20GB or 20GiB"},
      {"20G", "\"20G\" has no unit we know; write 20GB or 20GiB"},
      {"", "\"\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {"GB", "\"GB\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {"-1GB", "\"-1GB\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {".5GB", "\".5GB\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {"1.GB", "\"1.GB\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {"1.2.3GB", "\"1.2.3GB\" is not a size; write 20GB or 20GiB, or a number of bytes"},
      {"1e3", "\"1e3\" has no unit we know; write 1GB or 1GiB"},
      {"99999999999999999999999", "\"99999999999999999999999\" is too large"},
      {"18446744073709551615TB", "\"18446744073709551615TB\" is too large"},
  };
  for (const Row& r : rows) {
    const auto parsed = parse_size(r.text);
    EXPECT_EQ(parsed ? std::to_string(*parsed) : parsed.error(), r.want);
  }
}

TEST(Quantity, Durations) {
  struct Row {
    std::string_view text;
    milliseconds want;
  };
  const Row rows[] = {
      {"0", milliseconds(0)},
      {"0s", milliseconds(0)},
      {"7d", std::chrono::days(7)},
      {"90s", std::chrono::seconds(90)},
      {"1h30m", std::chrono::minutes(90)},
      {"250ms", milliseconds(250)},
      {"1d2h3m4s5ms", milliseconds(93'784'005)},
      {"36500d", std::chrono::days(36'500)},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_duration(r.text), r.want) << r.text;
}

TEST(Quantity, NotDurations) {
  constexpr std::string_view kUnreadable = "is not a time we can read; write 7d, 1h30m, 90s or 250ms";
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"", kUnreadable},
      {"7", kUnreadable},
      {"d", kUnreadable},
      {"7 d", kUnreadable},
      {"7D", kUnreadable},
      {"30m1h", kUnreadable},
      {"1h1h", kUnreadable},
      {"-1s", kUnreadable},
      {"1.5h", kUnreadable},
      {"1h30", kUnreadable},
      {"1month", kUnreadable},
      {"36501d", "is longer than 100 years"},
      {"36500d1ms", "is longer than 100 years"},
      {"99999999999999999999999s", "is longer than 100 years"},
  };
  for (const Row& r : rows) {
    const auto parsed = parse_duration(r.text);
    EXPECT_EQ(parsed ? "read" : parsed.error(), "\"" + std::string(r.text) + "\" " + std::string(r.want));
  }
}

TEST(Quantity, Percents) {
  EXPECT_EQ(parse_percent("5%"), 5.0);
  EXPECT_EQ(parse_percent("0.5%"), 0.5);
  EXPECT_EQ(parse_percent("100%"), 100.0);
  for (const std::string_view text : {"", "5", "%", "-1%", "101%", "nan%", "5 %", "1e1%"}) {
    const auto parsed = parse_percent(text);
    EXPECT_EQ(parsed ? "read" : parsed.error(),
              "\"" + std::string(text) + "\" is not a part of a hundred; write 0% to 100%");
  }
}

TEST(Quantity, SaysSizes) {
  struct Row {
    std::uint64_t bytes;
    std::string_view want;
  };
  const Row rows[] = {{0, "0 B"},           {999, "999 B"},      {1000, "1.0 kB"},    {4096, "4.1 kB"},
                      {9'999, "10 kB"},     {999'499, "999 kB"}, {999'500, "1.0 MB"}, {20'000'000'000, "20 GB"},
                      {UINT64_MAX, "18 EB"}};
  for (const Row& r : rows) EXPECT_EQ(size_text(r.bytes), r.want);
}

}  // namespace
}  // namespace symcached
