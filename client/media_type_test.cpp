#include "client/media_type.hpp"

#include <gtest/gtest.h>

#include <string>

namespace symcached::client {
namespace {

TEST(MediaType, StatesFormatAndVersion) {
  struct Row {
    std::string_view text;
    std::optional<SymcacheType> want;
  };
  constexpr wpt::Version k310{3, 1, 0};
  const SymcacheType unversioned{Format::microsoft}, ours{Format::open, wpt::Version{2, 0, 0}};
  const SymcacheType theirs{Format::microsoft, k310};
  const Row rows[] = {
      {"application/vnd.ms-symcache", unversioned},
      {"application/vnd.ms-symcache; version=3.1.0", theirs},
      {"Application/VND.MS-SymCache;VERSION=3.1.0", theirs},
      {" application/vnd.ms-symcache ; charset=x ; version = \"3.1.0\" ;", theirs},
      {"application/vnd.symcached.symcache; version=2.0.0", ours},
      {"application/vnd.ms-symcache; versions=9.9.9", unversioned},
      {"application/vnd.ms-symcache; version=", std::nullopt},
      {"application/vnd.ms-symcache; version", std::nullopt},
      {"application/vnd.ms-symcache; version=3.1", std::nullopt},
      {"application/vnd.ms-symcache; version=3.1.0-rc1", std::nullopt},
      {"application/vnd.ms-symcache; version=3.1.0; version=3.1.0", std::nullopt},
      {"application/vnd.ms-symcaches", std::nullopt},
      {"text/html; version=3.1.0", std::nullopt},
      {"application/octet-stream", std::nullopt},
      {"", std::nullopt},
      {";;;", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_media_type(r.text), r.want) << r.text;
}

TEST(MediaType, EachVersionIsOfOneFormat) {
  EXPECT_EQ(format_of({3, 1, 0}), Format::microsoft);
  EXPECT_EQ(format_of({3, 0, 0}), Format::microsoft);
  EXPECT_EQ(format_of({2, 9, 9}), Format::open);
  for (const Format format : {Format::microsoft, Format::open}) EXPECT_EQ(format_of(minimum_of(format)), format);
}

}  // namespace
}  // namespace symcached::client
