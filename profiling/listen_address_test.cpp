#include "profiling/listen_address.hpp"

#include <gmock/gmock.h>

namespace symcached::pprof {
namespace {

TEST(ListenAddress, Table) {
  struct Row {
    const char *text, *want;  ///< no want: refused
    bool is_loopback = true;
  };
  const Row rows[] = {
      {"127.0.0.1:8080", "127.0.0.1:8080"},
      {"127.9.9.9:1", "127.9.9.9:1"},
      {"localhost:0", "127.0.0.1:0"},
      {":80", "127.0.0.1:80"},
      {"[::1]:80", "[::1]:80"},
      {"[::]:80", "[::]:80", false},
      {"0.0.0.0:80", "0.0.0.0:80", false},
      {"10.0.0.1:80", "10.0.0.1:80", false},
      {"", nullptr},
      {"127.0.0.1", nullptr},
      {"127.0.0.1:", nullptr},
      {"127.0.0.1:65536", nullptr},
      {"127.0.0.1:+1", nullptr},
      {"example.com:80", nullptr},
      {"[::1", nullptr},
      {"[::1]80", nullptr},
      {"127.0.0.1:8 ", nullptr},
  };
  for (const Row& r : rows) {
    const auto address = parse_listen_address(r.text);
    ASSERT_EQ(address.has_value(), r.want != nullptr) << r.text;
    if (!address) continue;
    EXPECT_EQ(address->text(), r.want);
    EXPECT_EQ(address->is_loopback, r.is_loopback) << r.text;
  }
}

TEST(ListenAddress, LocalNames) {
  for (const char* name :
       {"", "localhost", "LocalHost:80", "a.localhost:1", "127.0.0.1", "127.0.0.1:80", "[::1]:80", "10.1.2.3:5"})
    EXPECT_TRUE(is_local_name(name)) << name;
  for (const char* name : {"example.com", "example.com:80", "localhost.example.com", "1.2.3.4.example.com"})
    EXPECT_FALSE(is_local_name(name)) << name;
}

}  // namespace
}  // namespace symcached::pprof
