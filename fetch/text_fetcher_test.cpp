#include "fetch/text_fetcher.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "fetch/public_address.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::fetch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

http::Response text(std::string content, std::string type = "text/plain; charset=utf-8") {
  return {200, {{"Content-Type", std::move(type)}}, std::move(content)};
}

std::string get(const std::string& url, TextLimits limits) {
  TextFetcher fetcher(limits, "symcached/test");
  const auto got = fetcher.get(url);
  if (got) return "found " + *got;
  constexpr std::string_view kKinds[] = {"absent", "malformed", "unavailable"};
  return std::string(kKinds[static_cast<std::size_t>(got.error().kind)]) + ": " + got.error().why;
}

constexpr TextLimits kHere{.max_size = 1000, .max_redirects = 2, .total_ms = 5'000, .private_addresses = true};

TEST(TextFetcher, FetchesBytesAsTheyAre) {
  FakeUpstream upstream;
  upstream.put("/a%20b.cs?version=1", text("class A;\r\n"));
  upstream.put("/empty.cs", text(""));
  upstream.put("/odd", text({"\xff\xfe\0x", 4}, "application/octet-stream"));
  EXPECT_EQ(get(upstream.url() + "/a%20b.cs?version=1", kHere), "found class A;\r\n");
  EXPECT_EQ(upstream.user_agent(), "symcached/test");
  EXPECT_EQ(get(upstream.url() + "/a%20b.cs?version=1#L10", kHere), "found class A;\r\n");
  EXPECT_EQ(get(upstream.url() + "/empty.cs", kHere), "found ");
  EXPECT_EQ(get(upstream.url() + "/odd", kHere), "found " + std::string("\xff\xfe\0x", 4));
}

TEST(TextFetcher, SaysWhyThereIsNone) {
  FakeUpstream upstream;
  upstream.put("/large", text(std::string(1001, 'x')));
  upstream.put("/fits", text(std::string(1000, 'x')));
  upstream.put("/login", text("<html>", "text/html"));
  upstream.put("/gone", http::text(410, "no"));
  upstream.put("/private", http::text(403, "no"));
  upstream.redirect("/one", "/two");
  upstream.redirect("/two", "/fits");
  upstream.redirect("/three", "/one");
  upstream.redirect("/disk", "file:///etc/passwd");
  upstream.redirect("/other-scheme", "gopher://127.0.0.1/");
  struct Row {
    std::string_view path, want;
  };
  const Row rows[] = {
      {"/fits", "found xxx"},           {"/one", "found xxx"},           {"/three", "unavailable"},
      {"/large", "malformed"},          {"/login", "web page"},          {"/gone", "absent"},
      {"/missing", "absent"},           {"/private", "HTTP status 403"}, {"/disk", "unavailable"},
      {"/other-scheme", "unavailable"},
  };
  for (const Row& r : rows) EXPECT_THAT(get(upstream.url() + std::string(r.path), kHere), HasSubstr(r.want)) << r.path;
}

TEST(TextFetcher, ATransferHasItsTime) {
  TextLimits limits = kHere;
  limits.total_ms = 200;
  limits.connect_timeout_ms = 200;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&here), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size), 0);
  EXPECT_THAT(get("http://127.0.0.1:" + std::to_string(ntohs(here.sin_port)) + "/silent", limits),
              StartsWith("unavailable"));
  ::close(listener);
}

TEST(TextFetcher, AsksNoPrivateAddressUnlessToldTo) {
  FakeUpstream upstream;
  upstream.answer_all_with(text("secret"));
  TextLimits limits = kHere;
  limits.private_addresses = false;
  const std::string port = upstream.url().substr(upstream.url().rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost", "0x7f000001", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0"})
    EXPECT_THAT(get("http://" + host + port + "/", limits), StartsWith("unavailable")) << host;
  EXPECT_THAT(get(upstream.url() + "/", limits), HasSubstr("127.0.0.1 is not on the public internet"));
  ::setenv("http_proxy", upstream.url().c_str(), 1);
  EXPECT_THAT(get("http://127.0.0.2/", limits), HasSubstr("127.0.0.2 is not on the public internet"));
  ::unsetenv("http_proxy");
  EXPECT_TRUE(upstream.asked().empty());
}

TEST(TextFetcher, SaysWhatIsWrongWithAUrl) {
  struct Row {
    std::string_view url, want;
  };
  const std::string without_end = "http://host/" + std::string(9000, 'x');
  const Row rows[] = {
      {"", "invalid URL"},
      {"src/a.cs", "invalid URL"},
      {"file:///etc/passwd", "scheme file is not supported"},
      {"ftp://host/a", "scheme ftp is not supported"},
      {"http://user:word@host/a", "a user or a password"},
      {"http://user@host/a", "a user or a password"},
      {"http://host/a\r\nX: y", "invalid URL"},
      {without_end, "longer than 8192 bytes"},
  };
  for (const Row& r : rows) {
    const auto checked = check_text_url(r.url);
    ASSERT_FALSE(checked) << r.url;
    EXPECT_THAT(checked.error(), HasSubstr(r.want)) << r.url;
  }
  EXPECT_EQ(check_text_url("https://host:8443/a%2fb?c=d#e").value(), "https://host:8443/a%2fb?c=d");
}

TEST(PublicAddress, FollowsTheRegistries) {
  struct Row {
    const char* address;
    bool want;
  };
  const Row rows[] = {
      {"1.1.1.1", true},
      {"9.255.255.255", true},
      {"10.0.0.0", false},
      {"10.255.255.255", false},
      {"11.0.0.0", true},
      {"100.63.255.255", true},
      {"100.64.0.0", false},
      {"100.127.255.255", false},
      {"100.128.0.0", true},
      {"127.0.0.1", false},
      {"0.0.0.0", false},
      {"169.254.169.254", false},
      {"172.15.255.255", true},
      {"172.16.0.0", false},
      {"172.31.0.1", false},
      {"172.32.0.0", true},
      {"192.0.0.1", false},
      {"192.0.1.0", true},
      {"192.168.1.1", false},
      {"198.17.255.255", true},
      {"198.19.255.255", false},
      {"203.0.113.7", false},
      {"223.255.255.255", true},
      {"224.0.0.1", false},
      {"255.255.255.255", false},
      {"::", false},
      {"::1", false},
      {"::ffff:1.1.1.1", false},
      {"64:ff9b::101:101", false},
      {"2606:4700::1111", true},
      {"2001:db8::1", false},
      {"2001::1", false},
      {"2001:200::1", true},
      {"2002:7f00:1::", false},
      {"3fff::1", false},
      {"4000::", false},
      {"fc00::1", false},
      {"fe80::1", false},
      {"ff02::1", false},
  };
  for (const Row& r : rows) {
    sockaddr_storage storage{};
    sockaddr_in v4{.sin_family = AF_INET};
    sockaddr_in6 v6{.sin6_family = AF_INET6};
    if (::inet_pton(AF_INET, r.address, &v4.sin_addr) == 1) std::memcpy(&storage, &v4, sizeof v4);
    else if (::inet_pton(AF_INET6, r.address, &v6.sin6_addr) == 1) std::memcpy(&storage, &v6, sizeof v6);
    const auto& address = reinterpret_cast<const sockaddr&>(storage);
    EXPECT_EQ(is_public(address), r.want) << r.address;
    EXPECT_EQ(address_text(address), r.address);
  }
  sockaddr unix_socket{};
  unix_socket.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public(unix_socket));
}

}  // namespace
}  // namespace symcached::fetch
