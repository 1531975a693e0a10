#include "net/acceptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <cstring>

#include "net/response_head.hpp"

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::chrono::milliseconds kPause{100};      ///< after an accept that failed for want of something
constexpr std::chrono::seconds kBetweenWarnings{10};  ///< a full server writes no more than this often about it
constexpr int kTurn = 16;                             ///< connections taken before others get their turn

/// Errors of the one connection that was about to be accepted, see accept(2).
bool is_of_the_connection(int error) {
  for (const int each : {ECONNABORTED, EINTR, EPERM, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                         EOPNOTSUPP, ENETUNREACH})
    if (error == each) return true;
  return false;
}

/// Also when the coroutine is destroyed instead of resumed, as Asio does when it has no memory to begin a wait.
class Accepting {
 public:
  explicit Accepting(bool& flag) : flag_(flag) { flag_ = true; }
  Accepting(const Accepting&) = delete;
  Accepting& operator=(const Accepting&) = delete;
  ~Accepting() { flag_ = false; }

 private:
  bool& flag_;
};

Descriptor open_spare() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// As much as one call can do; what the client has not read by then may be lost with the reset. Under TLS, nothing.
void say_too_many(const Descriptor& connection, const ServerOptions& options) {
  if (options.tls) return;
  const std::string_view text = too_many_connections();
  constexpr std::size_t kUnread = 1 << 20;  // thrown away, as unread bytes make a close a reset
  if (::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
    ::recv(connection.get(), nullptr, kUnread, MSG_TRUNC | MSG_DONTWAIT);
}

}  // namespace

Acceptor::Acceptor(asio::io_context& context, ThreadState& state)
    : context_(context), state_(state), socket_(context), pause_(context), spare_(open_spare()) {}

error_code Acceptor::listen(const tcp::endpoint& endpoint, bool share) {
  error_code error;
  socket_.open(endpoint.protocol(), error);
  if (!error) socket_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && share) socket_.set_option(ReusePort(true), error);
  if (!error) socket_.bind(endpoint, error);
  if (!error) socket_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) socket_.native_non_blocking(true, error);
  return error;
}

void Acceptor::keep_running() {
  if (state_.accepting || state_.draining) return;
  auto ended = [this](const std::exception_ptr& error) {
    if (error) contained(state_.log, "cannot accept connections", [&] { std::rethrow_exception(error); });
  };
  asio::co_spawn(context_, run(), std::move(ended));
}

void Acceptor::close() {
  error_code ignored;
  socket_.close(ignored);
  pause_.cancel();
}

Task<void> Acceptor::run() {
  const Accepting accepting(state_.accepting);
  while (!state_.draining) {
    error_code error;
    co_await socket_.async_wait(tcp::acceptor::wait_read, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    Taken taken = Taken::one;
    for (int i = 0; i < kTurn && taken == Taken::one; ++i)
      contained(state_.log, "cannot accept a connection", [&] { taken = take_one(); });
    if (taken != Taken::failed) continue;
    pause_.expires_after(kPause);
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

Acceptor::Taken Acceptor::take_one() {
  const std::scoped_lock lock(state_.admission.accepting);
  tcp::endpoint peer;
  auto size = static_cast<socklen_t>(peer.capacity());
  Descriptor connection(::accept4(socket_.native_handle(), peer.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection) {
    peer.resize(size);
    admit(std::move(connection), peer);
    return Taken::one;
  }
  const int error = errno;
  if (error == EAGAIN || error == EWOULDBLOCK) return Taken::none;
  if (is_of_the_connection(error)) return Taken::one;
  warn(std::strerror(error));
  return error == EMFILE || error == ENFILE ? refuse_with_spare() : Taken::failed;
}

void Acceptor::admit(Descriptor connection, const tcp::endpoint& peer) {
  Place place = state_.admission.connection(peer.address());
  Slot refusal;
  if (!place) {
    warn("too many connections");
    refusal = state_.admission.refusal();
    if (!refusal) return say_too_many(connection, state_.options);
  }
  tcp::socket socket(context_);
  socket.assign(peer.protocol(), connection.get());
  connection.release();
  auto it = std::make_shared<Connection>(std::move(socket), peer, state_);
  if (place) Connection::start(std::move(it), std::move(place));
  else Connection::start_refusal(std::move(it), std::move(refusal));
}

/// With no descriptor left, accept(2) fails without telling whether anybody waits.
Acceptor::Taken Acceptor::refuse_with_spare() {
  if (!spare_) spare_ = open_spare();
  if (!spare_) return Taken::failed;
  spare_ = Descriptor();
  Taken taken = Taken::one;
  {
    const Descriptor connection(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const bool nobody = !connection && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (connection) say_too_many(connection, state_.options);
    else taken = nobody ? Taken::none : Taken::failed;
  }
  if (taken == Taken::one) ++state_.admission.refused;
  spare_ = open_spare();
  return taken;
}

void Acceptor::warn(std::string_view why) {
  const auto now = Clock::now();
  if (now < next_warning_) return;
  next_warning_ = now + kBetweenWarnings;
  log_safely(state_.log, Severity::warning, "cannot accept a connection", why);
}

}  // namespace symcached::net
