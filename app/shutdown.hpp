#pragma once
/// What signals do to a server: SIGTERM and SIGINT end it, SIGHUP has it read its configuration again.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "net/http_server.hpp"

namespace symcached::app {

/// At the first signal the server is drained; at a second one, or when the grace is over, what is still open is cut.
/// If the program has not ended a few seconds after that, it is ended with status 1. Signals count while this lives.
class ShutdownWatch {
 public:
  struct Actions {
    std::function<void()> drain;   ///< once, after the server was told to drain
    std::function<void()> reload;  ///< at each SIGHUP; one after the other
  };

  /// @param actions  called on a thread of the watch
  ShutdownWatch(net::Server& server, std::chrono::seconds grace, Actions actions, Log log);
  ~ShutdownWatch();

 private:
  void await_reload();
  void drain();
  void cut();

  net::Server& server_;
  const std::chrono::seconds grace_;
  const Actions actions_;
  const Log log_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  boost::asio::signal_set reloads_;
  boost::asio::steady_timer timer_;
  bool cutting_ = false;
  std::thread thread_;
};

}  // namespace symcached::app
