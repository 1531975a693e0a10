#include "net/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <iterator>

#include "base/signals.hpp"
#include "net/acceptor.hpp"

namespace symcached::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Lines = std::vector<std::string>;

constexpr std::chrono::seconds kCutWait{3};  ///< for the io threads, one of which a slow disk may hold up
constexpr std::size_t kMostLines = 100;      ///< that cut() returns

/// Listening with SO_REUSEPORT would succeed beside another server of the same user and share its connections.
error_code check_free(const tcp::endpoint& endpoint, ThreadState& state) {
  if (endpoint.port() == 0) return {};
  asio::io_context context;
  return Acceptor(context, state).listen(endpoint, false);
}

}  // namespace

/// One thread, one io_context, one acceptor, and the connections the kernel gave to that acceptor.
class Server::IoThread {
 public:
  IoThread(const ServerOptions& options, const Handler& handler, const Log& log, Admission& admission)
      : handler_(handler), log_(log), state_{options, handler_, log_, admission}, acceptor_(context_, state_) {}
  ~IoThread() {
    context_.stop();
    join();
  }

  ThreadState& state() { return state_; }
  Acceptor& acceptor() { return acceptor_; }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void drain() {
    asio::post(context_, [this] { drain_here(); });
  }
  std::future<Lines> cut() {
    return asio::post(context_, asio::use_future([this] { return cut_here(); }));
  }
  bool ended() const { return context_.stopped(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// Ends when there is nothing left to do after drain_here(). An exception costs what threw it; the rest goes on.
  void run() noexcept {
    block_sigpipe();
    auto next_check = Clock::now();
    while (!context_.stopped()) {
      contained(log_, "internal error in an io thread", [&] { context_.run_until(next_check); });
      if (const auto now = Clock::now(); now >= next_check) {
        next_check = now + state_.options.check_interval;
        contained(log_, "internal error in an io thread", [&] { check(now); });
      }
    }
  }

  void check(Clock::time_point now) {
    for (Connection& connection : state_.open) connection.check(now);
    acceptor_.keep_running();
  }

  void drain_here() {
    if (std::exchange(state_.draining, true)) return;
    acceptor_.close();
    for (Connection& connection : state_.open) connection.close_if_idle();
    work_.reset();
  }

  Lines cut_here() {
    drain_here();
    Lines lines;
    for (Connection& connection : state_.open)
      if (auto line = connection.cut()) lines.push_back(std::move(*line));
    return lines;
  }

  const Handler handler_;
  const Log log_;
  ThreadState state_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(context_);
  Acceptor acceptor_;
  std::thread thread_;
};

std::expected<std::unique_ptr<Server>, std::string> Server::start(ServerOptions options, Handler handler, Log log) {
  const auto failed = [&](const error_code& error) {
    return std::unexpected(fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message()));
  };
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return failed(error);
  tcp::endpoint endpoint(address, options.port);

  std::unique_ptr<Server> server(new Server());
  server->options_ = with_limits(options);
  server->admission_ = std::make_unique<Admission>(server->options_);
  for (unsigned i = 0; i < server->options_.threads; ++i) {
    auto& thread =
        *server->threads_.emplace_back(std::make_unique<IoThread>(server->options_, handler, log, *server->admission_));
    if (i == 0) error = check_free(endpoint, thread.state());
    if (!error) error = thread.acceptor().listen(endpoint, true);
    if (error) return failed(error);
    endpoint = thread.acceptor().endpoint();
  }
  server->port_ = endpoint.port();
  for (const auto& thread : server->threads_) thread->start();
  return server;
}

Server::~Server() = default;

ServerStats Server::stats() const { return admission_->stats(); }

void Server::drain() {
  for (const auto& thread : threads_) thread->drain();
}

std::vector<std::string> Server::cut() {
  const auto limit = Clock::now() + kCutWait;
  std::vector<std::future<Lines>> parts;
  for (const auto& thread : threads_) parts.push_back(thread->cut());
  Lines all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::future_status status = std::future_status::timeout;
    while (status != std::future_status::ready && !threads_[i]->ended() && Clock::now() < limit)
      status = parts[i].wait_for(std::chrono::milliseconds(10));
    if (parts[i].wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      std::ranges::move(parts[i].get(), std::back_inserter(all));
  }
  if (all.size() > kMostLines) {
    const std::size_t more = all.size() - kMostLines;
    all.resize(kMostLines);
    all.push_back(fmt::format("and {} more", more));
  }
  return all;
}

void Server::join() {
  for (const auto& thread : threads_) thread->join();
}

}  // namespace symcached::net
