#pragma once
/// Takes connections from the kernel, and also gets rid of them when there are no descriptors left.
/// Private to `net/`.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/descriptor.hpp"
#include "net/connection.hpp"

namespace symcached::net {

/// One listening socket of one io thread; lives on that thread.
class Acceptor {
 public:
  Acceptor(boost::asio::io_context& context, ThreadState& state);

  boost::system::error_code listen(const boost::asio::ip::tcp::endpoint& endpoint, bool share);
  boost::asio::ip::tcp::endpoint endpoint() const { return socket_.local_endpoint(); }

  /// Begins to accept, unless it does. To be called again now and then, in case it ended for want of memory.
  void keep_running();
  void close();

 private:
  enum class Taken : std::uint8_t { one, none, failed };

  Task<void> run();
  Taken take_one();
  void admit(Descriptor connection, const boost::asio::ip::tcp::endpoint& peer);
  Taken refuse_with_spare();
  void warn(std::string_view why);

  boost::asio::io_context& context_;
  ThreadState& state_;
  boost::asio::ip::tcp::acceptor socket_;
  boost::asio::steady_timer pause_;
  Descriptor spare_;  ///< closed to accept and refuse a connection when there is no other descriptor left
  Clock::time_point next_warning_ = {};
  bool running_ = false;
};

}  // namespace symcached::net
