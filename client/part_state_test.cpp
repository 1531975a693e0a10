#include "client/part_state.hpp"

#include <gmock/gmock.h>

namespace symcached::client {
namespace {

const PartState kSome{"5d5f5c2e-boot", {{3, 1, 0}, 30'000, "\"one two\""}};

TEST(PartState, IsReadAsItWasWritten) {
  EXPECT_EQ(to_text(kSome), "symcached part 1\n5d5f5c2e-boot\n3.1.0\n30000\n\"one two\"\n");
  EXPECT_EQ(parse_part_state(to_text(kSome)), kSome);
}

TEST(PartState, EveryCutIsRefused) {
  const std::string whole = to_text(kSome);
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(parse_part_state(whole.substr(0, n))) << n << " bytes";
  EXPECT_FALSE(parse_part_state(whole + "x"));
}

TEST(PartState, WhatCannotBeResumedIsRefused) {
  struct Row {
    std::string_view why;
    Announced announced;
    bool want;
  };
  const Row rows[] = {
      {"a strong ETag and a size", {{3, 1, 0}, 2, "\"x\""}, true},
      {"a weak ETag", {{3, 1, 0}, 2, "W/\"x\""}, false},
      {"no ETag", {{3, 1, 0}, 2, ""}, false},
      {"one that is not quoted", {{3, 1, 0}, 2, "x"}, false},
      {"half quoted", {{3, 1, 0}, 2, "\""}, false},
      {"with a line break", {{3, 1, 0}, 2, "\"x\ry\""}, false},
      {"no size", {{3, 1, 0}, 0, "\"x\""}, false},
      {"nothing but its last byte", {{3, 1, 0}, 1, "\"x\""}, false},
      {"encoded", {{3, 1, 0}, 2, "\"x\"", true}, false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(r.announced.can_be_resumed(), r.want) << r.why;
    EXPECT_EQ(parse_part_state(to_text({"boot", r.announced})).has_value(), r.want || r.announced.is_encoded) << r.why;
  }
  EXPECT_EQ(to_text({"boot", {{3, 1, 0}, 2, "\"" + std::string(kMaxPartState, 'x') + "\""}}), "");
  EXPECT_FALSE(parse_part_state("symcached part 1\n\n3.1.0\n30\n\"x\"\n")) << "no boot";
  EXPECT_FALSE(parse_part_state("symcached part 1\nboot\n3.1\n30\n\"x\"\n")) << "no version";
  EXPECT_FALSE(parse_part_state("symcached part 1\nboot\n3.1.0\n-30\n\"x\"\n")) << "no size";
}

}  // namespace
}  // namespace symcached::client
