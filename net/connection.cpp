#include "net/connection.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <new>

#include "net/network.hpp"
#include "net/request_parser.hpp"
#include "net/response_head.hpp"

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::ip::tcp::socket;

constexpr std::chrono::milliseconds kLinger{1'000};  ///< for the peer to read the last answer before the reset
constexpr std::size_t kFirstRead = 4 << 10;          ///< bytes; all that an idle connection holds
constexpr std::size_t kFurtherRead = 16 << 10;
constexpr std::uint64_t kCheaperCopied = 48 << 10;  ///< bytes of a file; one send() costs less than several calls
constexpr std::uint64_t kMostCopied = 256 << 10;    ///< of a file that others may write to: a copy is of one content
constexpr std::size_t kLongestMethod = 20;          ///< bytes in log lines
constexpr std::size_t kLongestTarget = 200;
constexpr std::string_view kEndedEarly = "a connection was closed after an exception";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kPlainHttp =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 49\r\n"
    "Connection: close\r\n"
    "\r\n"
    "plain HTTP to an HTTPS port; write https:// URLs\n";

/// "GET /x", fit for a log line: without the query, no control characters, cut. Each request does this, so `text` keeps
/// its memory.
void describe(const http::Request& request, std::string& text) {
  const std::string_view target = std::string_view(request.target).substr(0, request.target.find('?'));
  text.assign(request.method, 0, kLongestMethod).append(" ").append(target.substr(0, kLongestTarget));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
}

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

void log_safely(const Log& log, Severity severity, std::string_view what, std::string_view why) noexcept {
  try {
    log(severity, fmt::format("{}: {}", what, why));
  } catch (...) {  // a line less; nobody is left to tell
  }
}

Connection::Connection(Socket socket, const asio::ip::tcp::endpoint& peer, ThreadState& state)
    : stream_(std::move(socket), state.options.tls.get()),
      peer_(peer),
      client_{peer.address().to_string(), network_of(peer.address()).to_string()},
      state_(state),
      buffer_(most_buffered(state.options)),
      sending_(state.options, deadline_) {
  state_.open.push_back(*this);
}

void Connection::start(std::shared_ptr<Connection> self, Place place) {
  Connection& it = *self;
  it.spawn(self, serve(self, std::move(place)));
}

void Connection::start_refusal(std::shared_ptr<Connection> self, Slot slot) {
  Connection& it = *self;
  it.spawn(self, refuse(self, std::move(slot)));
}

/// The handler keeps `self` because the signal must outlive the coroutine.
void Connection::spawn(std::shared_ptr<Connection> self, Task<void> work) {
  auto ended = [self](const std::exception_ptr& error) {
    self->close();
    if (error) contained(self->state_.log, kEndedEarly, [&] { std::rethrow_exception(error); });
  };
  asio::co_spawn(stream_.socket().get_executor(), std::move(work),
                 asio::bind_cancellation_slot(hang_up_.slot(), std::move(ended)));
}

void Connection::check(Clock::time_point now) {
  if (now >= deadline_) {
    if (stage_ != Stage::idle && stage_ != Stage::ending) ++state_.admission.timed_out;
    return close();
  }
  if (stage_ != Stage::held || !(hung_up_ || client_hung_up())) return;
  if (!std::exchange(hung_up_, true)) ++state_.admission.hung_up;
  end_wait_of_handler();  // each time anew: it may have begun another wait since
}

/// Posted, as Asio takes a signal for the coroutine only inside its event loop at once.
void Connection::end_wait_of_handler() {
  asio::post(stream_.socket().get_executor(),
             [self = shared_from_this()] { self->hang_up_.emit(asio::cancellation_type::terminal); });
}

bool Connection::client_hung_up() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  const int fd = const_cast<Socket&>(stream_.socket()).native_handle();
  return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_state != TCP_ESTABLISHED;
}

void Connection::close_if_idle() {
  if (stage_ == Stage::idle || stage_ == Stage::opening) close();
}

std::optional<std::string> Connection::cut() {
  if (!stream_.is_open()) return std::nullopt;
  std::optional<std::string> line;
  if (stage_ == Stage::held) line = where() + ": no answer yet";
  if (sending_.active())
    line = fmt::format("{}: {} of {} bytes sent", where(), grouped(sending_.body_sent()), grouped(sending_.body()));
  if (line) ++state_.admission.cut;
  close();
  end_wait_of_handler();
  return line;
}

std::string Connection::where() const {
  const std::string host = peer_.address().is_v6() ? "[" + client_.address + "]" : client_.address;
  return fmt::format("{} to {}:{}", what_, host, peer_.port());
}

Task<void> Connection::serve(std::shared_ptr<Connection> self, Place /*place*/) {
  co_await asio::this_coro::throw_if_cancelled(false);
  bool opened = true;
  if (self->stream_.is_tls()) opened = co_await self->open(self->state_.options.head_timeout);
  Next next = opened ? Next::read_on : Next::linger;
  while (next == Next::read_on) {
    const bool more = co_await self->wait_for_request();
    if (!more) co_return;
    next = co_await self->serve_one();
  }
  if (next == Next::linger) co_await self->linger();
}

Task<void> Connection::refuse(std::shared_ptr<Connection> self, Slot /*slot*/) {
  bool opened = true;
  if (self->stream_.is_tls()) opened = co_await self->open(kLinger);
  self->stage_ = Stage::ending;
  const auto left = try_send(self->stream_, opened ? too_many_connections() : "", false, self->sending_);
  if (left) co_await self->linger();
}

/// The handshake. What the client is told of a failure is read by it, or not, while the connection lingers.
Task<bool> Connection::open(std::chrono::milliseconds within) {
  deadline_ = Clock::now() + within;
  const Stream::Opened opened = co_await stream_.open();
  if (opened == Stream::Opened::plain_http)
    ::send(stream_.socket().native_handle(), kPlainHttp.data(), kPlainHttp.size(), MSG_NOSIGNAL);
  const bool is_open = opened == Stream::Opened::yes;
  ++(is_open ? state_.admission.handshakes : state_.admission.handshakes_failed);
  co_return is_open;
}

Task<bool> Connection::wait_for_request() {
  if (buffer_.size() > 0) {  // requests that came in one burst; other connections get their turn between them
    co_await asio::post(stream_.socket().get_executor(), asio::use_awaitable);
    co_return stream_.is_open();
  }
  if (state_.draining) co_return false;
  if (buffer_.capacity() > kFirstRead) buffer_.shrink_to_fit();
  stage_ = Stage::idle;
  deadline_ = Clock::now() + state_.options.idle_timeout;
  const bool came = co_await stream_.read(buffer_, kFirstRead);
  stage_ = Stage::reading;
  co_return came;
}

Task<Connection::Next> Connection::serve_one() {
  stage_ = Stage::reading;
  RequestParser parser(state_.options);
  auto step = parser.feed(buffer_);
  if (step == RequestParser::Step::need_more) {
    step = co_await read_rest(parser);
    if (step == RequestParser::Step::need_more) co_return Next::close;
  }
  deadline_ = Clock::time_point::max();
  const bool complete = step == RequestParser::Step::complete;
  const bool head_only = parser.head_only();
  const bool http_1_1 = parser.http_1_1();
  bool keep_alive = complete && parser.keep_alive();
  http::Response response;
  if (complete) response = co_await answer(parser);
  else response = parser.take_refusal();
  keep_alive = keep_alive && !state_.draining && !hung_up_;
  const bool sent = co_await send(response, head_only, http_1_1, keep_alive);
  if (!sent) co_return Next::close;
  co_return keep_alive ? Next::read_on : Next::linger;
}

/// Within the time for a head, then for a body. @return need_more when the connection ended before
Task<RequestParser::Step> Connection::read_rest(RequestParser& parser) {
  const ServerOptions& options = state_.options;
  deadline_ = Clock::now() + options.head_timeout;
  std::optional<Clock::time_point> body_since;
  auto step = RequestParser::Step::need_more;
  while (step == RequestParser::Step::need_more) {
    if (parser.has_head()) {
      const bool asked = !body_since && buffer_.size() == 0 && parser.expects_continue();
      if (!body_since) body_since = Clock::now();
      if (asked && try_send(stream_, kContinue, false, sending_) != "") break;
      deadline_ = too_slow_at(*body_since, options.body_grace, parser.body_bytes(), options.min_body_rate);
    }
    const std::size_t most = std::min(kFurtherRead, buffer_.max_size() - buffer_.size());
    const bool came = co_await stream_.read(buffer_, most);
    if (!came) break;
    step = parser.feed(buffer_);
  }
  co_return step;
}

Task<http::Response> Connection::answer(RequestParser& parser) {
  bool out_of_memory = false;
  try {
    http::Request request = parser.take_request();
    request.client = &client_;
    describe(request, what_);
    if (state_.draining) co_return http::text(503, "the server is shutting down", {{"Retry-After", "5"}});
    const Slot slot = state_.admission.request();
    if (!slot) co_return http::text(503, "too many requests at once; retry later", {{"Retry-After", "5"}});
    stage_ = Stage::held;
    co_return co_await state_.handler(std::move(request));
  } catch (const std::bad_alloc& error) {
    out_of_memory = true;
    log_safely(state_.log, Severity::error, "out of memory while answering " + what_, error.what());
  } catch (const std::exception& error) {
    log_safely(state_.log, Severity::error, "internal error while answering " + what_, error.what());
  } catch (...) {
    log_safely(state_.log, Severity::error, "internal error while answering " + what_, "unknown exception");
  }
  if (out_of_memory) co_return http::text(503, "out of memory; retry later", {{"Retry-After", "5"}});
  co_return http::text(500, "internal error; see the server log");
}

Task<bool> Connection::send(const http::Response& response, bool head_only, bool http_1_1, bool keep_alive) {
  std::string bytes = head_of(response, http_1_1, keep_alive);
  const auto* slice = head_only ? nullptr : std::get_if<http::FileSlice>(&response.body);
  const auto* text = head_only ? nullptr : std::get_if<std::string>(&response.body);
  const bool more = slice != nullptr && slice->size > 0;
  stage_ = Stage::sending;
  sending_.begin(bytes.size(), head_only ? 0 : response.body_size());
  if (text != nullptr) bytes += *text;
  Sent result = Sent::all;
  const std::uint64_t copied = more && slice->state ? kMostCopied : kCheaperCopied;
  if (more && (stream_.is_tls() || slice->bytes || slice->size <= copied)) {
    result = co_await send_copied(stream_, bytes, *slice, sending_);
  } else {
    const auto left = try_send(stream_, bytes, more, sending_);
    if (!left) result = Sent::broken;
    else if (!left->empty()) result = co_await send_text(stream_, *left, more, sending_);
    if (result == Sent::all && more) result = co_await send_file(stream_, *slice, sending_);
  }
  sending_.end();
  if (result == Sent::file_too_short) log_safely(state_.log, Severity::error, where(), "the file was truncated");
  if (result == Sent::file_changed) log_safely(state_.log, Severity::warning, where(), "the file was written to; cut");
  if (result == Sent::file_unreadable) log_safely(state_.log, Severity::error, where(), "the file cannot be read");
  co_return result == Sent::all;
}

/// A close with unread bytes resets the connection and may destroy the answer on its way, so read them first.
Task<void> Connection::linger() {
  stage_ = Stage::ending;
  error_code error;
  stream_.end();
  deadline_ = Clock::now() + kLinger;
  std::array<char, 4096> rest{};
  while (!error)
    co_await stream_.socket().async_read_some(asio::buffer(rest), asio::redirect_error(asio::use_awaitable, error));
}

void Connection::close() {
  deadline_ = Clock::time_point::max();
  if (stream_.is_tls() && stage_ != Stage::sending) stream_.end();
  stream_.close();
}

}  // namespace symcached::net
