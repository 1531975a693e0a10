#pragma once
/// One client connection of the HTTP server: requests one after another until it is closed. Private to `net/`.
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <string>

#include "net/admission.hpp"
#include "net/http_server.hpp"
#include "net/request_parser.hpp"
#include "net/send.hpp"

namespace symcached::net {

struct ThreadState;

namespace intrusive = boost::intrusive;
using ListHook = intrusive::list_base_hook<intrusive::link_mode<intrusive::auto_unlink>>;

/// Writes a line and throws nothing, as there may be no memory for it.
void log_safely(const Log& log, Severity severity, std::string_view what, std::string_view why) noexcept;
/// Calls `act`; what that throws is logged after `what` and goes no further.
template <class Act>
void contained(const Log& log, std::string_view what, const Act& act) noexcept {
  try {
    act();
  } catch (const std::exception& error) {
    log_safely(log, Severity::error, what, error.what());
  } catch (...) {
    log_safely(log, Severity::error, what, "unknown exception");
  }
}

class Connection : public std::enable_shared_from_this<Connection>, public ListHook {
 public:
  Connection(boost::asio::ip::tcp::socket socket, const boost::asio::ip::tcp::endpoint& peer, ThreadState& state);

  /// Serves its requests until it is closed.
  static void start(std::shared_ptr<Connection> self, Place place);
  /// Says that there are too many connections and closes it.
  static void start_refusal(std::shared_ptr<Connection> self, Slot slot);

  /// To be called now and then: ends it when it is over its time, and the handler's wait when the client hung up.
  void check(Clock::time_point now);
  /// Closes the connection unless a byte of a request has come.
  void close_if_idle();
  /// Closes the connection. @return a line about the response that was not finished, if there is one
  std::optional<std::string> cut();

 private:
  enum class Next : std::uint8_t { read_on, close, linger };
  enum class Stage : std::uint8_t { opening, idle, reading, held, sending, ending };

  static Task<void> serve(std::shared_ptr<Connection> self, Place place);
  static Task<void> refuse(std::shared_ptr<Connection> self, Slot slot);
  Task<bool> open(std::chrono::milliseconds within);
  void spawn(std::shared_ptr<Connection> self, Task<void> work);
  Task<bool> wait_for_request();
  Task<Next> serve_one();
  Task<RequestParser::Step> read_rest(RequestParser& parser);
  Task<http::Response> answer(RequestParser& parser);
  Task<bool> send(const http::Response& response, bool head_only, bool http_1_1, bool keep_alive);
  Task<void> linger();
  std::string where() const;  ///< "GET /x to 127.0.0.1:5555"
  bool client_hung_up() const;
  void end_wait_of_handler();
  void close();

  Stream stream_;
  const boost::asio::ip::tcp::endpoint peer_;
  http::Client client_;
  ThreadState& state_;
  boost::beast::flat_buffer buffer_;
  boost::asio::cancellation_signal hang_up_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Sending sending_;
  Stage stage_ = Stage::opening;
  bool hung_up_ = false;
  std::string what_;  ///< "GET /x" of the request being answered
};

/// What the connections of one io thread share. Used on that thread only, but for `admission`.
struct ThreadState {
  const ServerOptions& options;
  const Handler& handler;
  const Log& log;
  Admission& admission;
  bool draining = false;
  bool accepting = false;
  intrusive::list<Connection, intrusive::constant_time_size<false>> open = {};
};

}  // namespace symcached::net
