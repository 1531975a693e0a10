#include "net/request_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>

namespace symcached::net {
namespace {

using Step = RequestParser::Step;

/// What comes of `text` that arrives in pieces: 0 when more is needed, 200, or the status of the refusal.
unsigned outcome(std::string_view text, std::size_t piece, const ServerOptions& options = {}) {
  RequestParser parser(options);
  boost::beast::flat_buffer buffer(most_buffered(options));
  Step step = Step::need_more;
  while (!text.empty() && step == Step::need_more) {
    const std::size_t n = std::min({piece, text.size(), buffer.max_size() - buffer.size()});
    buffer.commit(boost::asio::buffer_copy(buffer.prepare(n), boost::asio::buffer(text.data(), n)));
    text.remove_prefix(n);
    step = parser.feed(buffer);
  }
  if (step == Step::complete) return 200;
  return step == Step::refused ? parser.take_refusal().status : 0;
}

std::string with_value(std::size_t size) {
  return "GET / HTTP/1.1\r\nHost: t\r\nA: " + std::string(size, 'x') + "\r\n\r\n";
}

TEST(RequestParser, HeaderValuesOfEverySize) {
  constexpr std::size_t kBesides = std::string_view("Host: t\r\nA: \r\n\r\n").size();
  constexpr std::size_t kMost = (64 << 10) - kBesides;
  std::vector<std::size_t> sizes{65'533, 65'534, 65'535, 65'536, 65'537, 70'000, 72 << 10, 100'000, 200'000};
  for (const std::size_t limit : {std::size_t{8} << 10, kMost, std::size_t{64} << 10, std::size_t{72} << 10})
    for (std::size_t n = limit - 70; n < limit + 70; ++n) sizes.push_back(n);
  for (std::size_t n = 0; n <= 200'000; n += 499) sizes.push_back(n);
  for (const std::size_t size : sizes)
    for (const std::size_t piece : {16 << 10, 1000})
      EXPECT_EQ(outcome(with_value(size), piece), size <= kMost ? 200u : 431u) << size << " in pieces of " << piece;
}

TEST(RequestParser, AFieldBeyondSixteenBitsIsTooLarge) {
  ServerOptions large;
  large.max_head = 1 << 20;
  for (const std::size_t size : {65'000, 65'533, 65'534, 65'535, 65'536, 70'000, 500'000})
    EXPECT_EQ(outcome(with_value(size), 16 << 10, large), size <= 65'533 ? 200u : 431u) << size;
  const std::string name(70'000, 'n');
  EXPECT_EQ(outcome("GET / HTTP/1.1\r\nHost: t\r\n" + name + ": x\r\n\r\n", 16 << 10, large), 431u);
}

TEST(RequestParser, TargetsOfEverySize) {
  for (std::size_t size = 1; size <= 100'000; size += size > 8'100 && size < 8'300 ? 1 : 97)
    for (const std::size_t piece : {16 << 10, 1000})
      EXPECT_EQ(outcome("GET " + std::string(size, '/') + " HTTP/1.1\r\nHost: t\r\n\r\n", piece),
                size <= (8 << 10) ? 200u : 414u)
          << size << " in pieces of " << piece;
}

TEST(RequestParser, CutsWaitForMore) {
  const std::string whole =
      "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: z\r\n\r\n";
  for (std::size_t n = 0; n < whole.size(); ++n)
    for (const std::size_t piece : {1, 7, 1000}) EXPECT_EQ(outcome(whole.substr(0, n), piece), 0u) << n;
  for (const std::size_t piece : {1, 7, 1000}) EXPECT_EQ(outcome(whole, piece), 200u) << piece;
}

TEST(RequestParser, RefusesWhatIsTooLargeOrNoHttp) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
  struct Row {
    std::string_view why;
    std::string text;
    unsigned status;
  };
  const Row rows[] = {
      {"no HTTP", "hello there\r\n\r\n", 400},
      {"HTTP/2", "GET / HTTP/2.0\r\n\r\n", 400},
      {"NUL in a header", std::string("GET / HTTP/1.1\r\nHost: t\r\nA: \0\r\n\r\n", 35), 400},
      {"length is no number", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n", 400},
      {"two lengths", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"length and chunks", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"length over the limit", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 65537\r\n\r\n", 413},
      {"length over 64 bits", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
      {"chunk over the limit", chunked + "10001\r\n", 413},
      {"chunks over the limit", chunked + "ffff\r\n" + std::string(0xffff, 'a') + "\r\n2\r\n", 413},
      {"chunk size is no number", chunked + "x\r\n", 400},
      {"chunk size over 64 bits", chunked + "fffffffffffffffff\r\n", 400},
      {"chunk header without end", chunked + "1;" + std::string(200 << 10, 'a'), 400},
      {"trailer without end", chunked + "0\r\nA: " + std::string(200 << 10, 'a'), 400},
      {"trailer beyond sixteen bits", chunked + "0\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n", 431},
      {"no headers ever", "GET / HTTP/1.1\r\nHost: t\r\n" + std::string(200 << 10, 'a'), 431},
      {"no line ever", std::string(200 << 10, 'a'), 414},
  };
  for (const Row& r : rows)
    for (const std::size_t piece : {1000, 16 << 10}) EXPECT_EQ(outcome(r.text, piece), r.status) << r.why;
}

}  // namespace
}  // namespace symcached::net
