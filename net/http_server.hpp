#pragma once
/// The HTTP/1.1 server: io threads with an acceptor each, keep-alive, limits, time-outs, sendfile, draining.
/// No client and no exception ends it or stalls its other clients: each costs its own connection at most.
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
#include "net/tls.hpp"

namespace symcached::net {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6 literal
  std::uint16_t port = 0;             ///< 0: any free one
  unsigned threads = 0;               ///< 0: one per processor
  std::shared_ptr<Tls> tls = {};      ///< null: plain connections

  std::size_t max_target = 8 << 10;  ///< bytes; beyond it 414
  std::size_t max_head = 64 << 10;   ///< bytes of all headers with their line ends; beyond it 431
  std::size_t max_body = 64 << 10;   ///< bytes of a request body in memory; beyond it 413
  /// Asked about each request with a body, as soon as its head is there and nothing but the limits of a head has been
  /// checked; empty: all bodies are kept in memory. Runs on an io thread, as do the writes to the file.
  std::function<http::BodyPlan(const http::Request& head)> body_plan = {};

  /// Connections at once, in all and from one address (of IPv6 the first 64 bits). 0: half of the descriptors that
  /// the process may open, less a reserve for the rest of it; per address half of that. Beyond it: 503 and closed.
  std::size_t max_connections = 0;
  std::size_t max_connections_per_address = 0;
  /// Requests whose handler runs or waits at once; beyond it 503. 0: three quarters of max_connections.
  std::size_t max_in_flight = 0;

  std::chrono::milliseconds idle_timeout{60'000};  ///< from one answer to the next request
  /// From the first byte of a request to the end of its headers; also for a TLS handshake.
  std::chrono::milliseconds head_timeout{15'000};
  std::chrono::milliseconds write_timeout{30'000};  ///< without the peer taking a byte
  /// Slow peers: a request body may take body_grace, and a second more for every min_body_rate bytes of it that came;
  /// a response send_grace, and a second more for every min_send_rate bytes of it that were taken. A rate is in bytes
  /// per second; 0: no such limit.
  std::chrono::milliseconds body_grace{15'000};
  std::uint64_t min_body_rate = 1 << 10;
  std::chrono::milliseconds send_grace{30'000};
  std::uint64_t min_send_rate = 4 << 10;

  /// How often time-outs and clients that hung up are looked for: each may be noticed that much late.
  std::chrono::milliseconds check_interval{500};
};

/// Runs on an io thread and must not block it. What it throws becomes a 500, bad_alloc a 503 with Retry-After.
/// When the client closes its side while the handler waits, the handler's wait is cancelled: a timer or socket it
/// waits for on the executor of the coroutine completes with operation_aborted (every further one at the next look,
/// see check_interval), and no exception is thrown. It should answer then with what it has: a client that closed only
/// its sending side still gets that answer, and the connection ends. await_callback() is not cut short.
using Handler = std::function<Task<http::Response>(http::Request)>;

/// Open and in flight are of this moment, the others since the start.
struct ServerStats {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_refused = 0;  ///< over a limit, or for want of descriptors
  std::uint64_t requests_in_flight = 0;   ///< whose handler runs or waits
  std::uint64_t requests_refused = 0;     ///< over max_in_flight
  std::uint64_t timed_out = 0;            ///< connections ended by one of the time-outs but idle_timeout
  std::uint64_t hung_up = 0;              ///< clients that closed their side before the handler had an answer
  std::uint64_t responses_cut = 0;        ///< by cut()
  std::uint64_t handshakes = 0;           ///< of TLS, that were completed
  std::uint64_t handshakes_failed = 0;    ///< of clients that speak something else, left, or took too long, too
};

class Admission;

class Server {
 public:
  /// Listens and serves at once. @return the server, or why it cannot listen, with the address
  static std::expected<std::unique_ptr<Server>, std::string> start(ServerOptions options, Handler handler, Log log);
  /// Ends at once: connections are cut.
  ~Server();

  std::uint16_t port() const { return port_; }
  ServerStats stats() const;
  /// The limits in force, with nothing left at 0.
  const ServerOptions& options() const { return options_; }

  /// From any thread: accept nothing more, close idle connections, answer new requests with 503, finish the rest.
  void drain();
  /// From any thread, after drain(): ends what is still open. Waits a few seconds at most for the io threads.
  /// @return a line for each response that was not finished, "GET /x to 127.0.0.1:5555: 1,234 of 8,000,000 bytes
  ///         sent"; beyond 100 of them one that says how many more
  std::vector<std::string> cut();
  /// Until every connection has ended after drain().
  void join();

 private:
  class IoThread;
  Server() = default;
  ServerOptions options_;
  std::unique_ptr<Admission> admission_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::uint16_t port_ = 0;
};

}  // namespace symcached::net
