#pragma once
/// A small HTTP/1.1 server for these pages: a thread that accepts, and one for each client, of which there are few.
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "profiling/connection.hpp"
#include "profiling/handlers.hpp"

namespace symcached::pprof {

struct ServerOptions {
  std::string address = "127.0.0.1:0";  ///< see parse_listen_address()
  std::string token = {};               ///< that clients have to send; empty: none
  /// Listens where other machines reach it, without a token.
  bool allow_remote = false;
  unsigned max_connections = 16;  ///< at once; beyond it 503
  ConnectionLimits limits = {};
};

/// Its threads take no signals but those of faults of their own. After fork() the child has no server: the parent goes
/// on, and destroying it in the child does nothing.
class HttpServer {
 public:
  /// @return or why it cannot listen. Throws std::bad_alloc.
  static std::expected<std::unique_ptr<HttpServer>, std::string> start(const ServerOptions& options, Sources sources);
  /// Ends what is under way, at once.
  ~HttpServer();

  std::uint16_t port() const;
  /// "http://127.0.0.1:8080"
  std::string url() const;

 private:
  class Running;
  explicit HttpServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace symcached::pprof
