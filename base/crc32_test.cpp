#include "base/crc32.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(Crc32, HasItsCheckValue) {
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(crc32({}), 0u);
}

}  // namespace
}  // namespace symcached
