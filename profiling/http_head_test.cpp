#include "profiling/http_head.hpp"

#include <gmock/gmock.h>

namespace symcached::pprof {
namespace {

TEST(HttpHead, Good) {
  struct Row {
    const char* head;
    HttpHead want;
  };
  const Row rows[] = {
      {"GET / HTTP/1.1\r\n\r\n", {.method = "GET", .target = "/", .keep_alive = true}},
      {"GET /a?b HTTP/1.0\r\n\r\n", {.method = "GET", .target = "/a?b"}},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", {.method = "GET", .target = "/", .keep_alive = true}},
      {"POST /s HTTP/1.1\r\nHOST:h:1\r\ncontent-length:  12 \r\nExpect: 100-Continue\r\nConnection: x, close\r\n\r\n",
       {.method = "POST", .target = "/s", .host = "h:1", .content_length = 12, .expects_continue = true}},
      {"GET / HTTP/1.1\r\nAccept: a\r\nAccept: b\r\nAuthorization: Bearer x\r\nContent-Length: 0\r\n\r\n",
       {.method = "GET", .target = "/", .accept = "a, b", .authorization = "Bearer x", .keep_alive = true}},
  };
  for (const Row& r : rows) {
    const auto head = parse_head(r.head);
    ASSERT_TRUE(head) << r.head << head.error().reason;
    EXPECT_EQ(*head, r.want) << r.head;
  }
}

TEST(HttpHead, Bad) {
  struct Row {
    std::string head;
    int status;
  };
  const std::string get = "GET / HTTP/1.1\r\n";
  const Row rows[] = {
      {"", 400},
      {"\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET / HTTP/2\r\n\r\n", 505},
      {"GET / FTP/1.1\r\n\r\n", 400},
      {"G\"T / HTTP/1.1\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\n\r\n", 400},
      {"GET /\xff HTTP/1.1\r\n\r\n", 400},
      {get, 400},
      {get + "\n\r\n", 400},
      {get + "Name : x\r\n\r\n", 400},
      {get + "Name\r\n\r\n", 400},
      {get + " folded: x\r\n\r\n", 400},
      {get + "A: b\rc\r\n\r\n", 400},
      {get + "Host: a\r\nHost: a\r\n\r\n", 400},
      {get + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {get + "Content-Length: -1\r\n\r\n", 400},
      {get + "Content-Length: 1, 1\r\n\r\n", 400},
      {get + "Content-Length: 99999999999999999999\r\n\r\n", 400},
      {get + "Transfer-Encoding: chunked\r\n\r\n", 411},
      {get + "Expect: more\r\n\r\n", 417},
      {"GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n", 414},
      {get + "A: " + std::string(40'000, 'a') + "\r\n\r\n", 431},
  };
  for (const Row& r : rows) {
    const auto head = parse_head(r.head);
    ASSERT_FALSE(head) << r.head;
    EXPECT_EQ(head.error().status, r.status) << r.head;
  }
}

TEST(HttpHead, Date) { EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT"); }

}  // namespace
}  // namespace symcached::pprof
