#include "net/http_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include "net/connection.hpp"

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::chrono::milliseconds kAcceptPause{100};  ///< after an accept that failed, for want of descriptors mostly

error_code listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool share) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && share) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

/// Listening with SO_REUSEPORT would succeed beside another server of the same user and share its connections.
error_code check_free(const tcp::endpoint& endpoint) {
  if (endpoint.port() == 0) return {};
  asio::io_context context;
  tcp::acceptor alone(context);
  return listen(alone, endpoint, false);
}

}  // namespace

/// One thread, one io_context, one acceptor, and the connections the kernel gave to that acceptor.
class Server::IoThread {
 public:
  IoThread(const ServerOptions& options, const Handler& handler, const Log& log)
      : options_(options), handler_(handler), log_(log), acceptor_(context_), pause_(context_) {}
  ~IoThread() {
    context_.stop();
    join();
  }

  error_code listen_on(const tcp::endpoint& endpoint) { return listen(acceptor_, endpoint, true); }
  tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

  void start() {
    asio::co_spawn(context_, accept_loop(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
  }
  void drain() {
    asio::post(context_, [this] {
      if (std::exchange(state_.draining, true)) return;
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
      for (Connection* connection : state_.open) connection->close_if_idle();
    });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  Task<void> accept_loop() {
    while (!state_.draining) {
      error_code error;
      tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (state_.draining || error == asio::error::operation_aborted) co_return;
      if (error) {
        log_(Severity::warning, fmt::format("could not accept a connection: {}", error.message()));
        pause_.expires_after(kAcceptPause);
        co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      auto connection = std::make_shared<Connection>(std::move(socket), state_);
      asio::co_spawn(context_, Connection::run(std::move(connection)), asio::detached);
    }
  }

  const ServerOptions options_;
  const Handler handler_;
  const Log log_;
  ThreadState state_{options_, handler_, log_};
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

std::expected<std::unique_ptr<Server>, std::string> Server::start(ServerOptions options, Handler handler, Log log) {
  const auto failed = [&](const error_code& error) {
    return std::unexpected(fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message()));
  };
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return failed(error);
  tcp::endpoint endpoint(address, options.port);
  if (error = check_free(endpoint); error) return failed(error);
  if (options.threads == 0) options.threads = std::max(1u, std::thread::hardware_concurrency());

  std::unique_ptr<Server> server(new Server());
  for (unsigned i = 0; i < options.threads; ++i) {
    auto& thread = server->threads_.emplace_back(std::make_unique<IoThread>(options, handler, log));
    if (error = thread->listen_on(endpoint); error) return failed(error);
    endpoint = thread->endpoint();
  }
  server->port_ = endpoint.port();
  for (const auto& thread : server->threads_) thread->start();
  return server;
}

Server::~Server() = default;

void Server::drain() {
  for (const auto& thread : threads_) thread->drain();
}

void Server::join() {
  for (const auto& thread : threads_) thread->join();
}

}  // namespace symcached::net
