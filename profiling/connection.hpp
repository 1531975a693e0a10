#pragma once
/// One client of the server: reads requests, has them answered, sends the answers. Blocks its thread, never for long.
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "profiling/handlers.hpp"
#include "profiling/http_head.hpp"

namespace symcached::pprof {

struct ConnectionLimits {
  std::chrono::milliseconds idle{30'000};   ///< from one answer to the next request
  std::chrono::milliseconds head{10'000};   ///< from the first byte of a request to the end of its head
  std::chrono::milliseconds grace{10'000};  ///< for a body or an answer, besides a second for each so many bytes:
  std::uint64_t bytes_per_second = 64 << 10;
  bool only_local_names = false;  ///< see is_local_name()
};

class Connection {
 public:
  Connection(Descriptor socket, std::shared_ptr<const Handlers> handlers, ConnectionLimits limits);

  /// Until the client goes, is too slow, or stop() is called. Throws nothing.
  void serve() noexcept;

  /// From any thread: ends what the client waits for, and then serve().
  void stop() noexcept;
  /// Whether the client waits for an answer now, and may be looked after: it may go.
  bool is_waiting() const { return waiting_.load() && !stop_.stop_requested(); }
  bool has_ended() const { return ended_.load(); }
  int socket() const { return socket_.get(); }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Next : std::uint8_t { read_on, close };

  Next serve_one();
  /// Appends to what was read. @return false at the end, after `until`, or when stopped
  bool read_more(Clock::time_point until);
  bool send(std::string_view bytes, Clock::time_point until);
  Next answer(const HttpHead& head, std::string_view body);
  Next respond(const PageResponse& page, bool head_only, bool keep_alive);
  Next refuse(const Refusal& why) { return respond(refused(why), false, false); }
  /// Waits for the client to close, so that it reads the last answer before it is told of bytes that nobody read.
  void linger();
  Clock::time_point time_for(std::size_t bytes) const;

  const Descriptor socket_;
  const std::shared_ptr<const Handlers> handlers_;
  const ConnectionLimits limits_;
  std::stop_source stop_;
  std::atomic<bool> waiting_ = false, ended_ = false;
  std::string read_;  ///< and not used yet
};

}  // namespace symcached::pprof
