#include "symbolize/place.hpp"

#include <gtest/gtest.h>

namespace symcached::symbolize {
namespace {

TEST(MethodPlaces, AsPeopleWriteThem) {
  struct Row {
    std::string_view text;
    std::optional<MethodPlace> want;
  };
  const Row rows[] = {
      {"4:26", MethodPlace{4, 26}},
      {"4:0x1a", MethodPlace{4, 26}},
      {"0x06000004:0x1a", MethodPlace{4, 26}},
      {"0x6000004:26", MethodPlace{4, 26}},
      {"0X6FFFFFF:0XFFFFFFFF", MethodPlace{0xFFFFFF, 0xFFFFFFFF}},
      {"100663300:0", MethodPlace{4, 0}},  // the token in decimal
      {"16777215:0", MethodPlace{0xFFFFFF, 0}},
      {"16777216:0", std::nullopt},
      {"0:0", std::nullopt},
      {"0x06000000:0", std::nullopt},
      {"0x02000004:0", std::nullopt},
      {"4", std::nullopt},
      {"4:", std::nullopt},
      {":4", std::nullopt},
      {"4:1:2", std::nullopt},
      {"4 :1", std::nullopt},
      {"1a:0", std::nullopt},
      {"-4:0", std::nullopt},
      {"4:4294967296", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_method_place(r.text), r.want) << r.text;
}

TEST(Addresses, AsToolsPrintThem) {
  struct Row {
    std::string_view text;
    std::optional<std::uint64_t> want;
  };
  const Row rows[] = {
      {"0x1a", 0x1a},       {"1a", 0x1a},         {"0X1A", 0x1a},          {"ffffffffffffffff", ~std::uint64_t{0}},
      {"", std::nullopt},   {"0x", std::nullopt}, {"1g", std::nullopt},    {"10000000000000000", std::nullopt},
      {" 1", std::nullopt}, {"-1", std::nullopt}, {"0x0x1", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_address(r.text), r.want) << r.text;
}

}  // namespace
}  // namespace symcached::symbolize
