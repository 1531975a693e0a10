#include "net/send.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using Socket = asio::ip::tcp::socket;

constexpr std::size_t kPiece = 1 << 20;              ///< bytes a call, so that one fast reader does not hold the thread
constexpr std::uint64_t kLongest = 365 * 24 * 3600;  ///< seconds; keeps times far from overflowing

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/// Through the event loop in any case, so that others get their turn.
Task<bool> writable(Socket& socket, Sending& sending) {
  sending.waits();
  boost::system::error_code error;
  co_await socket.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

}  // namespace

void Sending::begin(std::uint64_t head, std::uint64_t body) {
  started_ = Clock::now();
  head_ = head;
  body_ = body;
  sent_ = 0;
  active_ = true;
}

void Sending::end() {
  active_ = false;
  deadline_ = Clock::time_point::max();
}

void Sending::waits() {
  deadline_ = std::min(Clock::now() + options_.write_timeout,
                       too_slow_at(started_, options_.send_grace, sent_, options_.min_send_rate));
}

Clock::time_point too_slow_at(Clock::time_point started, std::chrono::milliseconds grace, std::uint64_t bytes,
                              std::uint64_t rate) {
  if (rate == 0) return Clock::time_point::max();
  return started + grace + std::chrono::seconds(std::min(bytes / rate, kLongest));
}

std::optional<std::string_view> try_send(Socket& socket, std::string_view text, bool more, Sending& sending) {
  while (!text.empty()) {
    const ssize_t n = ::send(socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (n < 0 && would_block(errno)) break;
    if (n < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(n));
    sending.took(static_cast<std::uint64_t>(n));
  }
  return text;
}

Task<Sent> send_text(Socket& socket, std::string_view text, bool more, Sending& sending) {
  for (;;) {
    const auto left = try_send(socket, text, more, sending);
    if (!left) co_return Sent::broken;
    if (left->empty()) co_return Sent::all;
    text = *left;
    const bool ready = co_await writable(socket, sending);
    if (!ready) co_return Sent::broken;
  }
}

Task<Sent> send_file(Socket& socket, http::FileSlice slice, Sending& sending) {
  auto offset = static_cast<off_t>(slice.offset);
  std::uint64_t left = slice.size;
  while (left > 0) {
    const ssize_t n =
        ::sendfile(socket.native_handle(), slice.file->get(), &offset, std::min<std::uint64_t>(left, kPiece));
    if (n == 0) co_return Sent::file_too_short;
    if (n > 0) {
      left -= static_cast<std::uint64_t>(n);
      sending.took(static_cast<std::uint64_t>(n));
      if (left == 0) break;
    } else if (!would_block(errno)) {
      co_return errno == EIO ? Sent::file_unreadable : Sent::broken;
    }
    const bool ready = co_await writable(socket, sending);
    if (!ready) co_return Sent::broken;
  }
  co_return Sent::all;
}

}  // namespace symcached::net
