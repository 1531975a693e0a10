#pragma once
/// The bytes between a client and us: its socket, and TLS over it where the listener speaks it. Private to `net/`.
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "net/task.hpp"
#include "net/tls.hpp"

typedef struct ssl_st SSL;

namespace symcached::net {

/// Used on the thread of its socket only. Once closed every call fails, as the descriptor may be another's by then.
class Stream {
 public:
  enum class Opened : std::uint8_t { yes, no, plain_http };

  /// @param tls  null: plain; used here only
  Stream(boost::asio::ip::tcp::socket socket, const Tls* tls);

  boost::asio::ip::tcp::socket& socket() { return socket_; }
  const boost::asio::ip::tcp::socket& socket() const { return socket_; }
  bool is_open() const { return socket_.is_open(); }
  bool is_tls() const { return ssl_ != nullptr; }

  /// The handshake of TLS. plain_http: the client does not know that it talks to TLS.
  Task<Opened> open();
  /// Waits for bytes and puts at most `most` of them behind those in `buffer`; they fit in.
  /// @return whether any came; else the client has ended its side, or the connection broke
  Task<bool> read(boost::beast::flat_buffer& buffer, std::size_t most);
  /// What the connection takes at once. After less than all the rest comes first in the next call.
  /// @param more  more is to follow; the kernel may wait to fill a segment
  /// @return how many bytes; 0: none until it is writable again; nothing when it broke
  std::optional<std::size_t> write(std::string_view text, bool more);
  /// Through the event loop in any case, so that others get their turn. @return false when it broke
  Task<bool> writable();
  /// Tells the client that nothing more comes.
  void end();
  void close();

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const;
  };

  Task<bool> read_plain(boost::beast::flat_buffer& buffer, std::size_t most);
  Task<bool> read_tls(boost::beast::flat_buffer& buffer, std::size_t most);
  std::optional<std::size_t> write_tls(std::string_view text);
  std::optional<boost::asio::ip::tcp::socket::wait_type> next_wait(int result);
  Task<bool> ready_for(boost::asio::ip::tcp::socket::wait_type what);

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  bool ssl_works_ = false;  ///< between the handshake and the first error
};

}  // namespace symcached::net
