#include "net/stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <new>
#include <utility>

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// One record of TLS. Of the thread, so that a connection that waits has no such buffer.
std::array<char, 16 << 10>& plain_bytes() {
  thread_local std::array<char, 16 << 10> bytes;
  return bytes;
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

void Stream::FreeSsl::operator()(SSL* ssl) const { SSL_free(ssl); }

Stream::Stream(tcp::socket socket, const Tls* tls) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.native_non_blocking(true, ignored);
  if (tls == nullptr) return;
  ssl_.reset(SSL_new(tls->context().get()));
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) throw std::bad_alloc();
}

Task<bool> Stream::ready_for(tcp::socket::wait_type what) {
  error_code error;
  co_await socket_.async_wait(what, asio::redirect_error(asio::use_awaitable, error));
  co_return !error && is_open();
}

/// @return what the call with this result waits for; nothing when it failed
std::optional<tcp::socket::wait_type> Stream::next_wait(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return tcp::socket::wait_read;
    case SSL_ERROR_WANT_WRITE: return tcp::socket::wait_write;
    case SSL_ERROR_ZERO_RETURN: return std::nullopt;
    default: ssl_works_ = false; return std::nullopt;
  }
}

Task<Stream::Opened> Stream::open() {
  while (is_open()) {
    ERR_clear_error();
    const int result = SSL_accept(ssl_.get());
    if (result == 1) {
      ssl_works_ = true;
      co_return Opened::yes;
    }
    const auto wait = next_wait(result);
    if (!wait) co_return ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST ? Opened::plain_http : Opened::no;
    const bool ready = co_await ready_for(*wait);
    if (!ready) break;
  }
  co_return Opened::no;
}

Task<bool> Stream::read(boost::beast::flat_buffer& buffer, std::size_t most) {
  return is_tls() ? read_tls(buffer, most) : read_plain(buffer, most);
}

Task<bool> Stream::read_plain(boost::beast::flat_buffer& buffer, std::size_t most) {
  error_code error;
  const std::size_t n =
      co_await socket_.async_read_some(buffer.prepare(most), asio::redirect_error(asio::use_awaitable, error));
  buffer.commit(n);
  co_return !error && is_open();
}

Task<bool> Stream::read_tls(boost::beast::flat_buffer& buffer, std::size_t most) {
  auto& bytes = plain_bytes();
  // Mostly the client says nothing before it has its answer, so there is no need to try before the first wait.
  std::optional<tcp::socket::wait_type> wait;
  if (SSL_has_pending(ssl_.get()) == 0) wait = tcp::socket::wait_read;
  else co_await asio::post(socket_.get_executor(), asio::use_awaitable);  // others get their turn
  while (is_open()) {
    bool ready = true;
    if (wait) ready = co_await ready_for(*wait);
    if (!ready) break;
    ERR_clear_error();
    std::size_t n = 0;
    const int result = SSL_read_ex(ssl_.get(), bytes.data(), std::min(most, bytes.size()), &n);
    if (result == 1) {
      buffer.commit(asio::buffer_copy(buffer.prepare(n), asio::buffer(bytes.data(), n)));
      co_return true;
    }
    wait = next_wait(result);
    if (!wait) break;
  }
  co_return false;
}

std::optional<std::size_t> Stream::write(std::string_view text, bool more) {
  if (is_tls()) return write_tls(text);
  const ssize_t n = ::send(socket_.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  if (n >= 0) return static_cast<std::size_t>(n);
  if (would_block(errno)) return 0;
  return std::nullopt;
}

std::optional<std::size_t> Stream::write_tls(std::string_view text) {
  if (!is_open() || !ssl_works_) return std::nullopt;
  ERR_clear_error();
  std::size_t n = 0;
  const int result = SSL_write_ex(ssl_.get(), text.data(), text.size(), &n);
  if (result == 1) return n;
  if (next_wait(result) == tcp::socket::wait_write) return 0;
  return std::nullopt;
}

Task<bool> Stream::writable() { return ready_for(tcp::socket::wait_write); }

void Stream::end() {
  if (!is_open()) return;
  ERR_clear_error();
  if (std::exchange(ssl_works_, false)) SSL_shutdown(ssl_.get());
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Stream::close() {
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace symcached::net
