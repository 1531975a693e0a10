#include "base/byte_sink.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(AppendingTo, KeepsWhatFits) {
  const auto text = std::make_shared<std::string>("of the try before");
  const ByteSink sink = appending_to(text, 5);
  EXPECT_EQ(*text, "");
  EXPECT_TRUE(sink(as_bytes("ab")));
  EXPECT_TRUE(sink(as_bytes("cde")));
  EXPECT_TRUE(sink({}));
  EXPECT_EQ(sink(as_bytes("f")).error(), "too large");
  EXPECT_EQ(*text, "abcde");
  EXPECT_TRUE(appending_to(text)(as_bytes("f"))) << "without a limit";
  EXPECT_EQ(*text, "f");
}

}  // namespace
}  // namespace symcached
