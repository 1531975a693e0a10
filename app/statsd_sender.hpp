#pragma once
/// Sends metrics to a statsd server, again and again.
#include <prometheus/metric_family.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "app/statsd_lines.hpp"
#include "config/config.hpp"
#include "net/log.hpp"

namespace symcached::app {

/// By UDP, from a thread of its own: nobody else waits for it, and what gets lost is lost. The server's name is looked
/// up each time, as it may move.
class StatsdSender {
 public:
  using Measure = std::function<std::vector<prometheus::MetricFamily>()>;

  /// @param config   with an address
  /// @param measure  called on the sender's thread, and by its destructor
  StatsdSender(const config::Statsd& config, Measure measure, Log log);
  /// What was counted since the last time is still sent.
  ~StatsdSender();

 private:
  using Udp = boost::asio::ip::udp;
  void run();
  void wait();
  void look_up();
  void found(const boost::system::error_code& error, const Udp::resolver::results_type& results);
  void send(const Udp::endpoint& server);

  const config::Statsd config_;
  const Measure measure_;
  const Log log_;
  StatsdLines lines_;
  boost::asio::io_context context_{1};
  /// A fault may leave nothing to wait for; the context must not take that for the end.
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_stopped_{
      context_.get_executor()};
  boost::asio::steady_timer timer_;
  Udp::resolver resolver_;
  std::optional<Udp::endpoint> server_;  ///< as it was found last
  bool has_complained_ = false;
  std::thread thread_;
};

}  // namespace symcached::app
