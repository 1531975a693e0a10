#pragma once
/// A client for tests that says exactly what it is told to, over a blocking socket. It waits 30 s at most.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace symcached {

struct Answer {
  unsigned status = 0;  ///< 0: the connection ended before a whole head came
  std::string head;
  std::string body;
};

class HttpPeer {
 public:
  explicit HttpPeer(std::uint16_t port) : HttpPeer() { connect(port); }
  /// @param receive_buffer  bytes that the kernel takes before the client reads them; 0: as it likes
  explicit HttpPeer(int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (receive_buffer > 0) ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  HttpPeer(HttpPeer&&) = default;
  HttpPeer& operator=(HttpPeer&&) = default;
  virtual ~HttpPeer() = default;
  void connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool connected() const { return connected_; }
  void say(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = send_some(text);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// A request for `target` with the headers given, each line ended by \r\n.
  void ask(std::string_view method, std::string_view target, std::string_view headers = "") const {
    say(std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) +
        "\r\n");
  }
  Answer hear(bool has_body = true) {
    Answer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
      if (!read_more()) return answer;
    answer.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    answer.status = static_cast<unsigned>(std::strtoul(answer.head.c_str() + 9, nullptr, 10));
    const std::size_t length = has_body ? content_length(answer.head) : 0;
    while (buffer_.size() < length && read_more()) {
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }
  /// The next `size` bytes, fewer if the connection ends before.
  std::string rest(std::size_t size) {
    while (buffer_.size() < size && read_more()) {
    }
    std::string text = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return text;
  }
  /// Whether the server ended the connection with nothing more to say.
  bool at_end() { return buffer_.empty() && !read_more() && !out_of_patience_; }
  /// Nothing more will be said; answers can still be heard.
  void half_close() const { ::shutdown(socket_.get(), SHUT_WR); }
  /// Ends the connection as a crashed client does, whatever is on its way.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() { socket_ = Descriptor(); }

 protected:
  int descriptor() const { return socket_.get(); }
  virtual ssize_t send_some(std::string_view text) const {
    return ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  virtual ssize_t receive_some(char* to, std::size_t size) { return ::recv(socket_.get(), to, size, 0); }

 private:
  static std::size_t content_length(const std::string& head) {
    const std::size_t at = head.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 16, nullptr, 10);
  }
  bool read_more() {
    char piece[16384];
    ssize_t n = 0;
    do n = receive_some(piece, sizeof piece);
    while (n < 0 && errno == EINTR);
    if (n > 0) buffer_.append(piece, static_cast<std::size_t>(n));
    out_of_patience_ = n < 0 && errno == EAGAIN;
    return n > 0;
  }
  Descriptor socket_;
  bool connected_ = false;
  bool out_of_patience_ = false;
  std::string buffer_;
};

/// One request on a connection of its own.
inline Answer fetch_once(std::uint16_t port, std::string_view method, std::string_view target,
                         std::string_view headers = "") {
  HttpPeer peer(port);
  peer.ask(method, target, headers);
  return peer.hear(method != "HEAD");
}

}  // namespace symcached
