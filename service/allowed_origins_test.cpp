#include "service/allowed_origins.hpp"

#include <gtest/gtest.h>

namespace symcached::service {
namespace {

TEST(AllowedOrigins, AreServersNotTexts) {
  struct Row {
    std::string_view url, pattern;
    bool want;
  };
  const Row rows[] = {
      {"https://example.com/a", "*", true},
      {"https://example.com/a", "example.com", true},
      {"https://EXAMPLE.com/a", "Example.COM", true},
      {"https://example.com/a", "https://example.com", true},
      {"http://example.com/a", "https://example.com", false},
      {"https://example.com/a", "example.com:443", true},
      {"https://example.com:8443/a", "example.com:443", false},
      {"https://example.com:8443/a", "https://example.com:8443", true},
      {"https://example.com:8443/a", "example.com", true},
      {"https://raw.example.com/a", "*.example.com", true},
      {"https://a.raw.example.com/a", "*.example.com", true},
      {"https://example.com/a", "*.example.com", false},
      {"https://notexample.com/a", "*.example.com", false},
      {"https://notexample.com/a", "example.com", false},
      {"https://example.com.evil.org/a", "example.com", false},
      {"https://evil.org/example.com", "example.com", false},
      {"https://evil.org/https://example.com", "*.com", false},
      {"https://example.com/a", "", false},
      {"https://example.com/a", "*.", false},
      {"https://example.com/a", "*example.com", false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(is_allowed_origin(r.url, {&r.pattern, 1}), r.want) << r.url << " by " << r.pattern;
    EXPECT_FALSE(is_allowed_origin(r.url, {}));
  }
}

}  // namespace
}  // namespace symcached::service
