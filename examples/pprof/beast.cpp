// A server with Boost.Beast that has profiles among its own pages. It prints its port and ends with its standard input.
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cstdio>
#include <symcached/pprof_beast.hpp>
#include <thread>

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

Response answer(const Request& request) {
  const std::string_view target(request.target().data(), request.target().size());
  if (target != "/" && symcached::pprof::is_page(target)) return symcached::pprof::beast_response(request);
  Response response(http::status::ok, request.version());
  response.body() = "my own page\n";
  response.prepare_payload();
  response.keep_alive(request.keep_alive());
  return response;
}

void serve(tcp::socket socket) {
  boost::beast::tcp_stream stream(std::move(socket));
  boost::beast::flat_buffer buffer;
  boost::beast::error_code error;
  for (bool more = true; more && !error;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(64 << 20);
    http::read(stream, buffer, parser, error);
    if (error) return;
    const Response response = answer(parser.get());
    http::response_serializer<http::string_body> serializer(response);
    if (parser.get().method() == http::verb::head) http::write_header(stream, serializer, error);
    else http::write(stream, serializer, error);
    more = response.keep_alive();
  }
}

int main() {
  boost::asio::io_context context;
  tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
  std::printf("%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  std::thread([&] {
    for (;;) std::thread(serve, acceptor.accept()).detach();
  }).detach();
  while (std::getchar() != EOF) {
  }
  std::quick_exit(0);
}
