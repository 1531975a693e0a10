#pragma once
/// One client connection of the HTTP server: requests one after another until it is closed. Private to `net/`.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <memory>
#include <set>

#include "net/http_server.hpp"

namespace symcached::net {

class Connection;

/// What the connections of one io thread share. Used on that thread only.
struct ThreadState {
  const ServerOptions& options;
  const Handler& handler;
  const Log& log;
  bool draining = false;
  std::set<Connection*> open = {};
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, ThreadState& state);
  ~Connection();

  static Task<void> run(std::shared_ptr<Connection> self);
  /// Closes the connection if it waits for a request of which no byte has come.
  void close_if_idle();

 private:
  enum class Next { read_on, close, linger };

  Task<bool> wait_for_first_byte();
  Task<Next> serve_one();
  Task<http::Response> answer(http::Request request);
  Task<bool> send(const http::Response& response, bool head_only, bool http_1_1, bool keep_alive);
  Task<void> linger();
  void arm(std::chrono::milliseconds limit);
  void close();

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  boost::beast::flat_buffer buffer_;
  ThreadState& state_;
  bool idle_ = false;
};

}  // namespace symcached::net
