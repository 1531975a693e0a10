#pragma once
/// The HTTP/1.1 server: io threads with an acceptor each, keep-alive, limits, time-outs, sendfile, draining.
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/http.hpp"
#include "net/log.hpp"
#include "net/task.hpp"

namespace symcached::net {

struct ServerOptions {
  std::string address = "127.0.0.1";                ///< IPv4 or IPv6 literal
  std::uint16_t port = 0;                           ///< 0: any free one
  unsigned threads = 0;                             ///< 0: one per processor
  std::size_t max_target = 8 << 10;                 ///< bytes; beyond it 414
  std::size_t max_head = 64 << 10;                  ///< bytes of all headers; beyond it 431
  std::size_t max_body = 64 << 10;                  ///< bytes of a request body; beyond it 413
  std::chrono::milliseconds idle_timeout{60'000};   ///< from one answer to the next request
  std::chrono::milliseconds head_timeout{15'000};   ///< from the first byte of a request to its last
  std::chrono::milliseconds write_timeout{30'000};  ///< without the peer taking a byte
};

/// Runs on an io thread and must not block it. What it throws becomes a 500.
using Handler = std::function<Task<http::Response>(http::Request)>;

class Server {
 public:
  /// Listens and serves at once. @return the server, or why it cannot listen, with the address
  static std::expected<std::unique_ptr<Server>, std::string> start(ServerOptions options, Handler handler, Log log);
  /// Ends at once: connections are cut.
  ~Server();

  std::uint16_t port() const { return port_; }

  /// From any thread: accept nothing more, close idle connections, answer new requests with 503, finish the rest.
  void drain();
  /// Until every connection has ended after drain().
  void join();

 private:
  class IoThread;
  Server() = default;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::uint16_t port_ = 0;
};

}  // namespace symcached::net
