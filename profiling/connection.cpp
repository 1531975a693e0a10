#include "profiling/connection.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "profiling/listen_address.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kPiece = 16 << 10;         ///< bytes read at once
constexpr std::size_t kMostLingering = 1 << 20;  ///< bytes of a client that is no longer listened to
constexpr std::chrono::milliseconds kLinger{500};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Connection::Connection(Descriptor socket, std::shared_ptr<const Handlers> handlers, ConnectionLimits limits)
    : socket_(std::move(socket)), handlers_(std::move(handlers)), limits_(limits) {}

void Connection::serve() noexcept {
  try {
    while (serve_one() == Next::read_on) {
    }
    linger();
  } catch (...) {  // no memory: this client goes, the program stays
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
  ended_ = true;
}

void Connection::stop() noexcept {
  stop_.request_stop();
  ::shutdown(socket_.get(), SHUT_RD);  // wakes it up
}

Connection::Clock::time_point Connection::time_for(std::size_t bytes) const {
  return Clock::now() + limits_.grace + std::chrono::seconds(bytes / limits_.bytes_per_second);
}

Connection::Next Connection::serve_one() {
  Clock::time_point until = Clock::now() + (read_.empty() ? limits_.idle : limits_.head);
  std::optional<std::size_t> end;
  while (!(end = end_of_head(read_))) {
    if (read_.size() > kMaxHead) return refuse({431, "the headers of the request are too long"});
    const bool was_idle = read_.empty();
    if (!read_more(until)) return Next::close;
    if (was_idle) until = Clock::now() + limits_.head;
  }
  const auto head = parse_head(std::string_view(read_).substr(0, *end));
  if (!head) return refuse(head.error());
  read_.erase(0, *end);
  if (head->content_length > kMaxBody) return refuse({413, "the body is larger than 64 MB; ask for less at a time"});
  const auto length = static_cast<std::size_t>(head->content_length);
  until = time_for(length);
  if (head->expects_continue && read_.size() < length && !send(kContinue, until)) return Next::close;
  while (read_.size() < length)
    if (!read_more(until)) return Next::close;
  const Next next = answer(*head, std::string_view(read_).substr(0, length));
  read_.erase(0, length);
  return next;
}

bool Connection::read_more(Clock::time_point until) {
  char piece[kPiece];
  while (!stop_.stop_requested()) {
    const ssize_t got = ::recv(socket_.get(), piece, sizeof(piece), MSG_DONTWAIT);
    if (got > 0) read_.append(piece, static_cast<std::size_t>(got));
    if (got > 0) return true;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{socket_.get(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(left.count()));
  }
  return false;
}

bool Connection::send(std::string_view bytes, Clock::time_point until) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0 || stop_.stop_requested()) return false;
    pollfd ready{socket_.get(), POLLOUT, 0};
    ::poll(&ready, 1, static_cast<int>(left.count()));
  }
  return true;
}

Connection::Next Connection::answer(const HttpHead& head, std::string_view body) {
  const bool head_only = head.method == "HEAD";
  if (limits_.only_local_names && !is_local_name(head.host))
    return respond(refused({403,
                            "Host: this server answers to localhost and to IP addresses only; give it a token, and "
                            "it answers to any name"}),
                   head_only, false);
  const PageRequest request{head.method, head.target, head.accept, head.authorization, body, stop_.get_token()};
  waiting_ = true;
  const PageResponse page = handlers_->handle(request);
  waiting_ = false;
  return respond(page, head_only, head.keep_alive && !stop_.stop_requested());
}

Connection::Next Connection::respond(const PageResponse& page, bool head_only, bool keep_alive) {
  std::string bytes = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Length: {}\r\n", page.status,
                                  reason_phrase(page.status), http_date(std::time(nullptr)), page.body.size());
  for (const auto& [name, value] : page.headers) bytes += name + ": " + value + "\r\n";
  bytes += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  const Clock::time_point until = time_for(page.body.size());
  if (!send(bytes, until) || (!head_only && !send(page.body, until))) return Next::close;
  return keep_alive ? Next::read_on : Next::close;
}

void Connection::linger() {
  ::shutdown(socket_.get(), SHUT_WR);
  const Clock::time_point until = Clock::now() + kLinger;
  for (std::size_t total = 0; total < kMostLingering; total += read_.size()) {
    read_.clear();
    if (!read_more(until)) return;
  }
}

}  // namespace symcached::pprof
