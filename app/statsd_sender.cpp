#include "app/statsd_sender.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <exception>
#include <string>
#include <utility>

#include "config/address.hpp"

namespace symcached::app {

using boost::system::error_code;

StatsdSender::StatsdSender(const config::Statsd& config, Measure measure, Log log)
    : config_(config),
      measure_(std::move(measure)),
      log_(std::move(log)),
      lines_(config.prefix),
      timer_(context_),
      resolver_(context_) {
  wait();
  thread_ = std::thread([this] { run(); });
}

StatsdSender::~StatsdSender() {
  context_.stop();
  thread_.join();
  try {
    if (server_) send(*server_);
  } catch (const std::exception& fault) {
    log_(Severity::warning, fmt::format("statsd: {}", fault.what()));
  }
}

/// What fails once is tried again the next time.
void StatsdSender::run() {
  while (!context_.stopped()) try {
      context_.run();
    } catch (const std::exception& fault) {
      log_(Severity::warning, fmt::format("statsd: {}", fault.what()));
      wait();
    }
}

void StatsdSender::wait() {
  timer_.expires_after(config_.interval);
  timer_.async_wait([this](const error_code& error) {
    if (!error) look_up();
  });
}

void StatsdSender::look_up() {
  const auto address = *config::parse_address(config_.address);
  resolver_.async_resolve(
      address.host, std::to_string(address.port),
      [this](const error_code& error, const Udp::resolver::results_type& results) { found(error, results); });
}

void StatsdSender::found(const error_code& error, const Udp::resolver::results_type& results) {
  if (error && !std::exchange(has_complained_, true))
    log_(Severity::warning, fmt::format("statsd.address: {}: {}", config_.address, error.message()));
  if (!error && !results.empty()) {
    has_complained_ = false;
    server_ = results.begin()->endpoint();
    send(*server_);
  }
  wait();
}

/// An error is of no use to anybody: the server may be there again the next time.
void StatsdSender::send(const Udp::endpoint& server) {
  Udp::socket socket(context_, server.protocol());
  socket.non_blocking(true);
  for (const std::string& datagram : lines_.datagrams(measure_())) {
    error_code ignored;
    socket.send_to(boost::asio::buffer(datagram), server, 0, ignored);
  }
}

}  // namespace symcached::app
