#pragma once
/// Bytes and files onto a connection, waiting for the peer as a coroutine does.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "net/http.hpp"
#include "net/http_server.hpp"
#include "net/stream.hpp"
#include "net/task.hpp"

namespace symcached::net {

using Clock = std::chrono::steady_clock;

/// How far a response has come, and until when the peer must take more of it.
class Sending {
 public:
  /// @param deadline  where the time limit of the connection is kept
  Sending(const ServerOptions& options, Clock::time_point& deadline) : options_(options), deadline_(deadline) {}

  void begin(std::uint64_t head, std::uint64_t body);
  void end();
  void took(std::uint64_t bytes) { sent_ += bytes; }
  void waits();  ///< for the peer: moves the deadline

  bool active() const { return active_; }
  std::uint64_t body() const { return body_; }
  std::uint64_t body_sent() const { return sent_ > head_ ? sent_ - head_ : 0; }  ///< taken by the kernel

 private:
  const ServerOptions& options_;
  Clock::time_point& deadline_;
  Clock::time_point started_ = {};
  std::uint64_t head_ = 0;
  std::uint64_t body_ = 0;
  std::uint64_t sent_ = 0;
  bool active_ = false;
};

/// When something that began at `started` and has come to `bytes` is too slow. @param rate  bytes per second; 0: never
Clock::time_point too_slow_at(Clock::time_point started, std::chrono::milliseconds grace, std::uint64_t bytes,
                              std::uint64_t rate);

enum class Sent : std::uint8_t { all, broken, file_too_short, file_unreadable, file_changed };

/// Sends what the connection takes at once. @param more  more is to follow; the kernel may wait to fill a segment
/// @return what is left of `text`; nothing when the connection broke
std::optional<std::string_view> try_send(Stream& stream, std::string_view text, bool more, Sending& sending);

/// `text`, `stream` and `sending` outlive the call.
Task<Sent> send_text(Stream& stream, std::string_view text, bool more, Sending& sending);

/// Over a plain connection, by sendfile(2): the bytes do not pass through this program. Other connections of the thread
/// get their turn between pieces.
Task<Sent> send_file(Stream& stream, http::FileSlice slice, Sending& sending);

/// `head` and then the slice, through a buffer of the thread; for TLS. A connection that waits holds one record at
/// most: what was not taken is read again.
Task<Sent> send_copied(Stream& stream, std::string_view head, http::FileSlice slice, Sending& sending);

}  // namespace symcached::net
