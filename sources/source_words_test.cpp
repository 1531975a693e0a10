#include "sources/source_words.hpp"

#include <gtest/gtest.h>

namespace symcached::sources {
namespace {

using namespace std::string_view_literals;

TEST(SourceWords, Ids) {
  for (const std::string_view good : {"s", "sentry:microsoft", "a/b@c"}) EXPECT_TRUE(is_source_id(good)) << good;
  for (const std::string_view bad : {"", "a b", "a\n", "\xC3\xA9"}) EXPECT_FALSE(is_source_id(bad)) << bad;
  EXPECT_TRUE(is_source_id(std::string(kMaxSourceId, 'a')));
  EXPECT_FALSE(is_source_id(std::string(kMaxSourceId + 1, 'a')));
}

TEST(SourceWords, Headers) {
  EXPECT_TRUE(is_header("Authorization", "Bearer a b: c"));
  EXPECT_TRUE(is_header("X", ""));
  for (const auto& [name, value] :
       {std::pair{""sv, "v"sv}, {"a b", "v"}, {"a:", "v"}, {"a\n", "v"}, {"a", "v\r\nb: c"}, {"a", "v\0"sv}})
    EXPECT_FALSE(is_header(name, value)) << name;
}

TEST(SourceWords, Urls) {
  for (const std::string_view good : {"http://a", "HTTPS://a/b"}) EXPECT_TRUE(is_http_url(good)) << good;
  for (const std::string_view bad : {"", "http:/a", "ftp://a", " http://a"}) EXPECT_FALSE(is_http_url(bad)) << bad;
}

}  // namespace
}  // namespace symcached::sources
