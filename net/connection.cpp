#include "net/connection.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/beast/http.hpp>
#include <ctime>
#include <exception>

#include "net/send.hpp"

namespace symcached::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::string_body>;

constexpr std::chrono::milliseconds kLinger{1'000};  ///< for the peer to read the last answer before the reset

http::Request to_request(const Parser::value_type& message) {
  http::Request request{std::string(message.method_string()), std::string(message.target())};
  for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
  return request;
}

/// What to answer when a request cannot be read; nothing when the connection just ended.
std::optional<http::Response> refusal(const error_code& why, const Parser& parser, const ServerOptions& options) {
  using Fault = beast::http::error;
  if (why == Fault::header_limit) {
    const auto target = parser.get().target().size();
    const bool in_headers = target > 0 && target <= options.max_target;
    return in_headers ? http::text(431, "request headers are too large")
                      : http::text(414, "request target is too long");
  }
  if (why == Fault::body_limit) return http::text(413, "request body is too large");
  const bool is_parser_fault = why.category() == beast::http::make_error_code(Fault::bad_method).category();
  if (!is_parser_fault || why == Fault::end_of_stream || why == Fault::partial_message) return std::nullopt;
  return http::text(400, "request is not HTTP/1.1");
}

std::string_view http_date() {
  thread_local std::time_t at = -1;
  thread_local std::array<char, 40> text{};
  thread_local std::size_t size = 0;
  if (const std::time_t now = std::time(nullptr); now != at) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    at = now;
  }
  return {text.data(), size};
}

std::string head_of(const http::Response& response, bool http_1_1, bool keep_alive) {
  fmt::memory_buffer out;
  const auto to = fmt::appender(out);
  fmt::format_to(to, "HTTP/1.1 {} {}\r\n", response.status, http::reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) fmt::format_to(to, "{}: {}\r\n", name, value);
  fmt::format_to(to, "Date: {}\r\n", http_date());
  if (response.status != 204 && response.status != 304)
    fmt::format_to(to, "Content-Length: {}\r\n", response.body_size());
  if (!keep_alive) fmt::format_to(to, "Connection: close\r\n");
  else if (!http_1_1) fmt::format_to(to, "Connection: keep-alive\r\n");
  fmt::format_to(to, "\r\n");
  return fmt::to_string(out);
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, ThreadState& state)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      buffer_(state.options.max_target + state.options.max_head + state.options.max_body),
      state_(state) {
  state_.open.insert(this);
}

Connection::~Connection() { state_.open.erase(this); }

Task<void> Connection::run(std::shared_ptr<Connection> self) {
  error_code ignored;
  self->socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  self->socket_.native_non_blocking(true, ignored);
  Next next = Next::read_on;
  while (next == Next::read_on) {
    const bool more = co_await self->wait_for_first_byte();
    if (!more) break;
    next = co_await self->serve_one();
  }
  if (next == Next::linger) co_await self->linger();
  self->close();
}

void Connection::close_if_idle() {
  if (idle_) close();
}

Task<bool> Connection::wait_for_first_byte() {
  if (buffer_.size() > 0) co_return true;
  if (state_.draining) co_return false;
  idle_ = true;
  arm(state_.options.idle_timeout);
  error_code error;
  const std::size_t n =
      co_await socket_.async_read_some(buffer_.prepare(4096), asio::redirect_error(asio::use_awaitable, error));
  idle_ = false;
  buffer_.commit(n);
  co_return !error && socket_.is_open();
}

Task<Connection::Next> Connection::serve_one() {
  const ServerOptions& options = state_.options;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(options.max_target + options.max_head));
  parser.body_limit(options.max_body);
  arm(options.head_timeout);
  error_code error;
  co_await beast::http::async_read(socket_, buffer_, parser, asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    const auto response = refusal(error, parser, options);
    if (response) co_await send(*response, false, true, false);
    co_return response ? Next::linger : Next::close;
  }
  const auto& message = parser.get();
  const bool http_1_1 = message.version() >= 11;
  const bool head_only = message.method() == beast::http::verb::head;
  if (message.target().size() > options.max_target) {
    const http::Response response = http::text(414, "request target is too long");
    co_await send(response, head_only, http_1_1, false);
    co_return Next::linger;
  }
  deadline_.cancel();
  http::Response response;
  if (http_1_1 && message.count(beast::http::field::host) != 1) {
    response = http::text(400, "request has no Host header, or more than one");
  } else if (state_.draining) {
    response = http::text(503, "the server is shutting down", {{"Retry-After", "5"}});
  } else {
    http::Request request = to_request(message);
    response = co_await answer(std::move(request));
  }
  const bool keep_alive = message.keep_alive() && !state_.draining;
  const bool sent = co_await send(response, head_only, http_1_1, keep_alive);
  co_return sent&& keep_alive ? Next::read_on : Next::close;
}

Task<http::Response> Connection::answer(http::Request request) {
  try {
    co_return co_await state_.handler(std::move(request));
  } catch (const std::exception& fault) {
    state_.log(Severity::error, fmt::format("fault of our own while answering: {}", fault.what()));
  }
  co_return http::text(500, "fault of the server, see its log");
}

Task<bool> Connection::send(const http::Response& response, bool head_only, bool http_1_1, bool keep_alive) {
  const Progress progress = [this] { arm(state_.options.write_timeout); };
  std::string head = head_of(response, http_1_1, keep_alive);
  bool sent = false;
  if (const auto* slice = std::get_if<http::FileSlice>(&response.body); slice != nullptr && !head_only) {
    sent = co_await send_text(socket_, head, slice->size > 0, progress);
    if (sent) sent = co_await send_file(socket_, *slice, progress);
  } else {
    if (const auto* text = std::get_if<std::string>(&response.body); text != nullptr && !head_only) head += *text;
    sent = co_await send_text(socket_, head, false, progress);
  }
  deadline_.cancel();
  co_return sent;
}

/// A close with unread bytes resets the connection and may destroy the answer on its way, so read them first.
Task<void> Connection::linger() {
  error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  arm(kLinger);
  std::array<char, 4096> rest{};
  while (!error) co_await socket_.async_read_some(asio::buffer(rest), asio::redirect_error(asio::use_awaitable, error));
}

void Connection::arm(std::chrono::milliseconds limit) {
  deadline_.expires_after(limit);
  deadline_.async_wait([self = shared_from_this()](const error_code& error) {
    const bool re_armed = self->deadline_.expiry() > std::chrono::steady_clock::now();
    if (!error && !re_armed) self->close();
  });
}

void Connection::close() {
  error_code ignored;
  deadline_.cancel();
  socket_.close(ignored);
}

}  // namespace symcached::net
