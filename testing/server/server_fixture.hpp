#pragma once
/// A server with a page for each kind of answer, for the tests of net/.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <mutex>
#include <new>
#include <stdexcept>

#include "net/http_server.hpp"
#include "testing/server/eventually.hpp"
#include "testing/server/http_peer.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::net {

inline constexpr std::size_t kBig = 16 << 20;  ///< bytes; more than the socket buffers of both ends take
inline constexpr std::size_t kSmall = 1000;

inline std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 2654435761u >> 24);
  return text;
}

class ServerFixture : public ::testing::Test {
 protected:
  /// Time-outs that tests wait for are looked at often.
  static ServerOptions quick() {
    ServerOptions options;
    options.threads = 2;
    options.check_interval = std::chrono::milliseconds(5);
    return options;
  }
  void serve(const ServerOptions& options) {
    folder_.write("big", pattern(kBig));
    file_ = std::make_shared<const Descriptor>(::open((folder_.path() / "big").c_str(), O_RDONLY | O_CLOEXEC));
    auto started = Server::start(
        options, [this](http::Request r) { return answer(std::move(r)); },
        [this](Severity, const std::string& line) {
          const std::scoped_lock lock(mutex_);
          log_ += line + "\n";
        });
    ASSERT_TRUE(started) << started.error();
    server_ = std::move(*started);
    descriptors_ = open_descriptors();
  }
  void SetUp() override { serve(quick()); }

  Task<http::Response> answer(http::Request request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/big") co_return http::file_response(request, {file_, 0, kBig}, "\"big\"", {});
    if (path == "/small") co_return http::file_response(request, {file_, 0, kSmall}, "\"small\"", {});
    const http::FileState other{kBig, 1};
    if (path == "/changed") co_return http::file_response(request, {file_, 0, kBig, other}, "\"changed\"", {});
    if (path == "/short") co_return http::file_response(request, {file_, kBig - 10, 20}, "\"short\"", {});
    if (path == "/throws") throw std::runtime_error("no");
    if (path == "/no-memory") throw std::bad_alloc();
    if (path == "/hold") co_await hold();
    if (request.is("POST")) co_return http::text(200, request.body);
    co_return http::text(200, request.method + " " + request.target);
  }
  /// Twice, because a wait that begins after the client hung up must end, too.
  Task<void> hold() {
    ++held_;
    for (int i = 0; i < 2; ++i) {
      boost::asio::steady_timer hour(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
      boost::system::error_code error;
      co_await hour.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
    }
    ++released_;
  }

  std::uint16_t port() const { return server_->port(); }
  std::string log() {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  virtual unsigned probe() const { return fetch_once(port(), "GET", "/probe").status; }
  void expect_alive(const std::string& after) const { EXPECT_EQ(probe(), 200u) << after; }
  /// Everything that the clients before took is given back, and it answers.
  void expect_unharmed(const std::string& after) const {
    EXPECT_TRUE(eventually([&] { return server_->stats().connections_open == 0; })) << after;
    expect_alive(after);
    EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors_; }))
        << after << ": " << open_descriptors() << " descriptors, not " << descriptors_;
  }

  TempFolder folder_;
  std::shared_ptr<const Descriptor> file_;
  std::size_t descriptors_ = 0;
  std::atomic<int> held_{0};
  std::atomic<int> released_{0};
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<Server> server_;  ///< ends first
};

}  // namespace symcached::net
