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

constexpr std::size_t kPiece = 1 << 20;  ///< bytes a call, so that one fast reader does not hold the thread

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Task<bool> writable(Socket& socket, const Progress& progress) {
  progress();
  boost::system::error_code error;
  co_await socket.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

}  // namespace

Task<bool> send_text(Socket& socket, std::string_view text, bool more, const Progress& progress) {
  while (!text.empty()) {
    const ssize_t n = ::send(socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (!would_block(errno)) co_return false;
    const bool ready = co_await writable(socket, progress);
    if (!ready) co_return false;
  }
  co_return true;
}

Task<bool> send_file(Socket& socket, http::FileSlice slice, const Progress& progress) {
  auto offset = static_cast<off_t>(slice.offset);
  std::uint64_t left = slice.size;
  while (left > 0) {
    const ssize_t n =
        ::sendfile(socket.native_handle(), slice.file->get(), &offset, std::min<std::uint64_t>(left, kPiece));
    if (n == 0) co_return false;
    if (n > 0) {
      left -= static_cast<std::uint64_t>(n);
      if (left == 0) break;
    } else if (!would_block(errno)) {
      co_return false;
    }
    const bool ready = co_await writable(socket, progress);
    if (!ready) co_return false;
  }
  co_return true;
}

}  // namespace symcached::net
