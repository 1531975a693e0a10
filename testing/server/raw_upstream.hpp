#pragma once
/// An HTTP server for tests that says exactly the bytes it is told to, over blocking sockets, a thread a connection.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"

namespace symcached {

class RawPeer {
 public:
  explicit RawPeer(Descriptor socket) : socket_(std::move(socket)) {}
  /// @return false once the client is gone
  bool say(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// Waits until the client's side has taken everything that was said.
  void drain() const {
    int left = 1;
    while (::ioctl(socket_.get(), SIOCOUTQ, &left) == 0 && left > 0) std::this_thread::yield();
  }
  /// Ends the connection with a reset instead of an orderly end. The descriptor stays: another thread may shut it.
  void reset() const {
    const sockaddr nowhere{.sa_family = AF_UNSPEC, .sa_data = {}};
    ::connect(socket_.get(), &nowhere, sizeof nowhere);
  }
  /// The next request's head; empty once the client is gone.
  std::string hear() {
    std::size_t end = 0;
    char piece[4096];
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      const ssize_t n = ::recv(socket_.get(), piece, sizeof piece, 0);
      if (n <= 0) return {};
      buffer_.append(piece, static_cast<std::size_t>(n));
    }
    std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    return head;
  }
  void shut() const { ::shutdown(socket_.get(), SHUT_RDWR); }

 private:
  Descriptor socket_;
  std::string buffer_;
};

class RawUpstream {
 public:
  /// Answers one request. @return whether the connection goes on
  using Talk = std::function<bool(RawPeer& peer, const std::string& head)>;

  explicit RawUpstream(Talk talk)
      : talk_(std::move(talk)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&here), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1024), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&here), &size), 0);
    port_ = ntohs(here.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawUpstream() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      const std::scoped_lock lock(mutex_);
      for (const RawPeer& peer : peers_) peer.shut();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// "GET /path" of each request so far.
  std::vector<std::string> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  std::size_t most_connections() const { return most_; }

 private:
  void accept_all() {
    while (true) {
      Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket) return;
      const std::scoped_lock lock(mutex_);
      most_ = std::max<std::size_t>(most_, ++open_);
      RawPeer& peer = peers_.emplace_back(std::move(socket));
      threads_.emplace_back([this, &peer] { serve(peer); });
    }
  }
  void serve(RawPeer& peer) {
    for (std::string head = peer.hear(); !head.empty(); head = peer.hear()) {
      {
        const std::scoped_lock lock(mutex_);
        asked_.push_back(head.substr(0, head.find(" HTTP/")));
      }
      if (!talk_(peer, head)) break;
    }
    const std::scoped_lock lock(mutex_);
    --open_;
    peer.shut();
  }

  const Talk talk_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::list<RawPeer> peers_;
  std::list<std::thread> threads_;
  std::vector<std::string> asked_;
  std::size_t open_ = 0;
  std::atomic<std::size_t> most_ = 0;
  std::thread acceptor_;
};

}  // namespace symcached
